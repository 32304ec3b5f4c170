import { VISIT_IDLE_MS } from '../campaign.ts';
import { config } from '../script-tag.ts';
import { read, readObject, SESSION, VISITOR, write, writeObject } from '../storage.ts';
import { newId } from './new-id.ts';

/** A visit, as all tabs share it. */
export type Session = {
  id: string;
  /** When something last happened in it. */
  at: number;
  /** By whom its start has been handed over; until then it is only a claim. */
  started?: string;
  /** Decided once, or a replay would have holes. */
  recorded: boolean;
  /** How many pieces of its replay there are. */
  chunks?: number;
};

export function visitor(): string {
  return read(VISITOR) || write(VISITOR, newId());
}

/** The visit that goes on, in whichever tab. */
export function liveSession(): Session | undefined {
  const kept = readObject(SESSION) as Session;
  // A clock that was set back must not keep a visit alive for ever.
  return Math.abs(Date.now() - kept.at) < VISIT_IDLE_MS ? kept : undefined;
}

export function claimSession(): Session {
  return saveSession({ id: newId(), at: 0, recorded: Math.random() < config.replayRate });
}

export function saveSession(session: Session): Session {
  session.at = Date.now();
  writeObject(SESSION, session);
  return session;
}
