import { hash } from 'node:crypto';

/** Recognises an event that the CRM delivers again. Hashed: bodies are long and hold personal data. */
export type CrmEventKey = {
  key: string;
  /** False: keyed by content, which repeats only the event right before it, and for a limited time. */
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
