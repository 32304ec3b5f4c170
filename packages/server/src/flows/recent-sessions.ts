/** The sessions that this process has taken lately: the store knows of them only once they have been processed. */
export type RecentSessions = { add(sessionId: string): void; has(sessionId: string): boolean };

const SESSIONS_MAX = 50_000;

/** Two sets in turn, for this is done with every visit: the older one goes when the newer one is full. */
export function makeRecentSessions(): RecentSessions {
  let newer = new Set<string>();
  let older = new Set<string>();
  return {
    add(sessionId) {
      newer.add(sessionId);
      if (newer.size < SESSIONS_MAX / 2) return;
      older = newer;
      newer = new Set();
    },
    has: (sessionId) => newer.has(sessionId) || older.has(sessionId),
  };
}
