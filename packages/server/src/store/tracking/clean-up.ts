import { DAY_MS, HOUR_MS, minuteOf } from '../../lib/utc-time.ts';
import { background } from '../operation.ts';
import { sessionsFailedToStart } from './failed-records.ts';

const EARLY_RECORDS_KEPT_MS = DAY_MS;
const MINUTES_KEPT_MS = 2 * HOUR_MS;

/**
 * Deletes old totals by minute, and early records whose session never came; returns how many of these there
 * were. A start that failed is retried, so records that wait for it stay.
 */
export const cleanUpTracking = background(
  // Minutes are shown by the realtime report only, whose answers are never kept.
  { changes: [] },
  async (db, { now }: { now: number }): Promise<number> => {
    const { query, dialect } = db;
    await query
      .deleteFrom('minute_totals')
      .where('minute', '<', minuteOf(now - MINUTES_KEPT_MS))
      // An open session still has to be subtracted from the minute it is counted in.
      .where('active', '=', 0)
      .execute();
    const mayStart = await sessionsFailedToStart(db);
    const { numDeletedRows } = await query
      .deleteFrom('early_records')
      .where('received_at', '<', now - EARLY_RECORDS_KEPT_MS)
      .$if(mayStart.length > 0, (old) => old.where('session_id', 'not in', dialect.anyOf(mayStart)))
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },
);
