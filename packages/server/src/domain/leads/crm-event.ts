import { hash } from 'node:crypto';

/** What tells a delivery that comes again from another event. Hashed, because bodies are long and about people. */
export type CrmEventKey = {
  key: string;
  /** By its content alone an event is the same only right after the first, and for a while. */
  lasts: boolean;
};

export function crmEventKey(event: { crmLeadId: string; eventId: unknown; payload: string }): CrmEventKey {
  const id = readId(event.eventId);
  const text = id === null ? `body\n${event.payload}` : `id\n${event.crmLeadId}\n${id}`;
  return { key: hash('sha256', text, 'base64url'), lasts: id !== null };
}

/** null: the CRM has sent none. */
function readId(eventId: unknown): string | null {
  if (typeof eventId !== 'string' && typeof eventId !== 'number') return null;
  return String(eventId).trim() || null;
}
