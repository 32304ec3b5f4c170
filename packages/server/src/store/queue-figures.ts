import { sql } from 'kysely';
import { primaryRead } from './operation.ts';

/** What waits in the store for other systems, or for an update. */
export type QueueFigures = {
  pendingSends: number;
  /** When the oldest of them was made. */
  oldestSendAt: number | null;
  waitingArchives: number;
  /** Tracking that could not be processed. */
  failedRecords: number;
};

export const queueFigures = primaryRead(async ({ query }): Promise<QueueFigures> => {
  const sends = await query
    .selectFrom('flow_sends')
    .select(({ fn }) => [fn.countAll<number>().as('pending'), fn.min('created_at').as('oldest')])
    // A literal, not a parameter: otherwise the planner may not use the partial index of pending sends.
    .where('status', '=', sql.lit('pending' as const))
    .executeTakeFirstOrThrow();
  const countOf = async (table: 'archive_queue' | 'failed_records') => {
    const counted = query.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows'));
    return (await counted.executeTakeFirstOrThrow()).rows;
  };
  return {
    pendingSends: sends.pending,
    oldestSendAt: sends.oldest,
    waitingArchives: await countOf('archive_queue'),
    failedRecords: await countOf('failed_records'),
  };
});
