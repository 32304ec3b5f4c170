import type { IncomingHttpHeaders } from 'node:http';
import type { SessionStart, SessionStarted } from '@leadtrail/contract/tracking';
import type { Geo } from '../domain/geo.ts';
import { startRecord } from '../domain/tracking/tracking-record.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { AppSettings } from './app-settings.ts';
import type { KnownSenders } from './known-senders.ts';
import type { RecentIds } from './recent-ids.ts';
import { redactedParameters } from './redacted-parameters.ts';

export type StartSession = (
  sent: SessionStart,
  client: { ip: string; trusted: boolean },
  headers: IncomingHttpHeaders,
) => Promise<SessionStarted>;

/** Answers as soon as the session is in the inbox; ingest follows later. */
export function makeStartSession(parts: {
  inbox: Inbox;
  recentSessions: RecentIds;
  recentVisitors: RecentIds;
  now: () => number;
  newId: () => string;
  locate: (ip: string, trusted: boolean, headers: IncomingHttpHeaders) => Geo;
  isHosting: (asn: number) => boolean;
  settings: Pick<AppSettings, 'recent'>;
  senders: Pick<KnownSenders, 'settings'>;
}): StartSession {
  return async (sent, client, headers) => {
    const geo = parts.locate(client.ip, client.trusted, headers);
    const record = startRecord(sent, {
      at: parts.now(),
      newId: parts.newId,
      ip: client.ip,
      geo,
      hosting: geo.asn !== null && parts.isHosting(geo.asn),
      redacted: redactedParameters(parts),
    });
    await parts.inbox.append(JSON.stringify(record));
    parts.recentSessions.add(record.session_id);
    parts.recentVisitors.add(record.visitor_id);
    const { session_id, visitor_id, device_id, at } = record;
    return { session_id, visitor_id, device_id, timestamp: at };
  };
}
