import { background } from '../operation.ts';
import { contribute, newTotals, writeTotals } from './totals.ts';

/** Ends sessions without activity since a time, each at its last activity; says how many it ended. */
export const endIdleSessions = background(
  { changes: ['tracking'] },
  async (db, { idleSince, sessionsMax }: { idleSince: number; sessionsMax: number }): Promise<number> => {
    await db.dialect.lock('tracking');
    const sessions = await db.query
      .selectFrom('sessions')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('last_activity_at', '<', idleSince)
      // Implied by the last activity, and lets the index of open sessions be used.
      .where('started_at', '<', idleSince)
      .orderBy('started_at')
      .limit(sessionsMax)
      .execute();

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
