import { visitedAddress } from '../domain/tracking/page-address.ts';
import type { EndRecord } from '../domain/tracking/tracking-record.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { AppSettings } from './app-settings.ts';
import type { KnownSenders } from './known-senders.ts';
import { redactedParameters } from './redacted-parameters.ts';

export type EndSession = (sent: {
  session_id: string;
  exit_page?: string | null | undefined;
}) => Promise<{ ended: true }>;

export function makeEndSession(parts: {
  inbox: Inbox;
  now: () => number;
  settings: Pick<AppSettings, 'recent'>;
  senders: Pick<KnownSenders, 'settings'>;
}): EndSession {
  return async ({ session_id, exit_page }) => {
    const redacted = redactedParameters(parts);
    const record: EndRecord = {
      kind: 'end',
      at: parts.now(),
      session_id: session_id.toLowerCase(),
      exit_page: exit_page ? visitedAddress(exit_page, redacted) : null,
    };
    await parts.inbox.append(JSON.stringify(record));
    return { ended: true };
  };
}
