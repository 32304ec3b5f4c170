import { sql } from 'kysely';
import { primaryRead } from './operation.ts';

/** What waits in the store for other systems. */
export type QueueFigures = {
  pendingSends: number;
  /** When the oldest of them was made. */
  oldestSendAt: number | null;
  waitingArchives: number;
};

export const queueFigures = primaryRead(async ({ query }): Promise<QueueFigures> => {
  const sends = await query
    .selectFrom('flow_sends')
    .select(({ fn }) => [fn.countAll<number>().as('pending'), fn.min('created_at').as('oldest')])
    // As text in the statement: only then does the index of pending sends do.
    .where('status', '=', sql.lit('pending' as const))
    .executeTakeFirstOrThrow();
  const archives = await query
    .selectFrom('archive_queue')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  return { pendingSends: sends.pending, oldestSendAt: sends.oldest, waitingArchives: archives.waiting };
});
