import { config } from '../script-tag.ts';
import { read, readObject, SESSION, VISITOR, write, writeObject } from '../storage.ts';
import { VISIT_IDLE_MS } from '../visit-idle.ts';
import { newId } from './new-id.ts';

/** A visit, shared by all tabs through local storage. */
export type Session = {
  id: string;
  /** Last activity. */
  at: number;
  /** The event id of the view that started it; until then it is only a claim. */
  started?: string;
  /** Sampled once per session, or the recording would have gaps. */
  recorded: boolean;
  /** The call to action that was clicked last. */
  cta?: string;
  /** Number of recorded chunks. */
  chunks?: number;
};

export function visitor(): string {
  return read(VISITOR) || write(VISITOR, newId());
}

/** The active visit, whatever tab it is in. */
export function liveSession(): Session | undefined {
  const kept = readObject(SESSION) as Session;
  // `abs`: a clock set back must not keep a visit alive forever.
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
