import { makeLru } from '../lib/lru.ts';

/** The sessions that this process has taken lately: the store knows of them only once they have been processed. */
export type RecentSessions = { add(sessionId: string): void; has(sessionId: string): boolean };

const SESSIONS_MAX = 50_000;

export function makeRecentSessions(): RecentSessions {
  const known = makeLru<true>({ entriesMax: SESSIONS_MAX });
  return {
    add: (sessionId) => known.set(sessionId, true),
    has: (sessionId) => known.get(sessionId) !== undefined,
  };
}
