import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RetentionLimits } from '../../domain/setup/retention.ts';
import { dayStart, utcDay } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { clockOf } from '../job-runs.ts';
import { primaryRead } from '../operation.ts';
import type { ObjectRow, Schema } from '../schema.ts';
import { horizonOf } from './horizons.ts';
import { isOldLead } from './leads.ts';
import { hasOldBody, isOldSetAside } from './texts.ts';

/** How many rows are old enough, and when the oldest of them came. */
export type OldRows = { rows: number; oldest: number | null };

const CLASSES = [
  'sessions',
  'leads',
  'setAside',
  'flowSendBodies',
  'unmatchedEvents',
  'archives',
  'replays',
] as const;
export type RetentionPreview = Record<(typeof CLASSES)[number], OldRows>;

/** The clock that the next run of a deleting job will get. */
export const nextClock = primaryRead(
  async (db, { job, tick, intervalMs }: { job: string; tick: number; intervalMs: number }): Promise<number> =>
    clockOf(db, job, tick, intervalMs),
);

/** What a run with these limits would remove. */
export const retentionPreview = primaryRead(
  async (db, limits: RetentionLimits): Promise<RetentionPreview> => {
    const setAside = { before: limits.setAside, settledBefore: limits.settledSetAside };
    const objects = (kind: ObjectRow['kind'], before: number) =>
      oldRows(db, 'objects', 'created_at', sql`kind = ${kind} and created_at < ${before}`);
    return {
      sessions: await oldSessions(db, limits.sessions),
      leads: await oldRows(db, 'leads', 'created_at', isOldLead(db, limits.leadStages, limits.leads)),
      setAside: await oldRows(db, 'set_aside_leads', 'received_at', isOldSetAside(setAside)),
      flowSendBodies: await oldRows(db, 'flow_sends', 'created_at', hasOldBody(limits.flowSendBodies)),
      unmatchedEvents: await oldRows(
        db,
        'unmatched_crm_events',
        'received_at',
        sql`received_at < ${limits.unmatchedEvents}`,
      ),
      archives: await objects('archive', limits.archives),
      replays: await objects('replay', limits.replays),
    };
  },
);

async function oldRows(
  { query }: Db,
  table: keyof Schema,
  age: string,
  isOld: RawBuilder<SqlBool>,
): Promise<OldRows> {
  const { rows } = await sql<OldRows>`
    select count(*) as rows, min(${sql.ref(age)}) as oldest from ${sql.table(table)} where ${isOld}
  `.execute(query);
  return rows[0] ?? { rows: 0, oldest: null };
}

/** From the totals by day: there may be millions. They still count sessions from before the horizon. */
async function oldSessions(db: Db, before: number): Promise<OldRows> {
  const horizon = await horizonOf(db, 'sessions');
  const { rows } = await sql<{ rows: number; day: string | null }>`
    select coalesce(sum(sessions), 0) as rows, min(day) as day from day_totals
    where sessions > 0 and day < ${dayOf(before)} and day >= ${horizon === null ? '' : utcDay(horizon)}
  `.execute(db.query);
  const [found] = rows;
  if (found === undefined || found.day === null) return { rows: 0, oldest: null };
  return { rows: found.rows, oldest: dayStart(found.day) };
}

function dayOf(before: number): string {
  return before < 0 ? '' : utcDay(before);
}
