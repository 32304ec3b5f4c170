import { latestTime } from '../clocks.ts';
import { background } from '../operation.ts';
import { contribute, newTotals, writeTotals } from './totals.ts';

/**
 * Ends sessions without activity since a time, and those of a clock that was ahead, each at its last activity; says how
 * many it ended.
 */
export const endIdleSessions = background(
  { changes: ['tracking'] },
  async (
    db,
    { idleSince, now, sessionsMax }: { idleSince: number; now: number; sessionsMax: number },
  ): Promise<number> => {
    await db.dialect.lock('tracking');
    const open = db.query
      .selectFrom('sessions')
      .selectAll()
      .where('ended_at', 'is', null)
      .orderBy('started_at');
    const idle = await open
      .where(({ eb, or }) =>
        or([eb('last_activity_at', '<', idleSince), eb('last_activity_at', '>', latestTime(now))]),
      )
      // Implied by the last activity unless a clock was ahead, and lets the index of open sessions be used.
      .where('started_at', '<', idleSince)
      .limit(sessionsMax)
      .execute();
    const ahead = await open
      .where('started_at', '>', latestTime(now))
      .limit(sessionsMax - idle.length)
      .execute();
    const sessions = [...idle, ...ahead];

    const totals = newTotals();
    for (const session of sessions) {
      contribute(totals, session, -1);
      session.ended_at = session.last_activity_at;
      contribute(totals, session, 1);
    }
    const ended = sessions.map(({ session_id, ended_at }) => ({ session_id, ended_at }));
    await db.dialect.updateRows('sessions', 'session_id', ended);
    await writeTotals(db, totals);
    return sessions.length;
  },
);
