import { MINUTE_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';

/** Signed callbacks that have been applied. */

/** Its id, after what it was sent to; null: the callback is not signed, and has none. */
export type CallbackId = { id: string; at: number } | null;

/** A message may be dated five minutes ahead, and holds for five minutes after that. */
const REMEMBERED_MS = 10 * MINUTE_MS;

/**
 * Applies a callback in the same transaction that remembers it; sent again, it has the outcome of the first time. One that
 * found nothing to change is not remembered, so that it works when it is sent again later.
 */
export async function appliedOnce<O>(
  { query, dialect }: Db,
  callback: CallbackId | undefined,
  { apply, isDone = () => true }: { apply: () => Promise<O>; isDone?: (outcome: O) => boolean },
): Promise<O> {
  if (callback == null) return apply();
  const { id: callback_id, at: received_at } = callback;
  await dialect.lockEach([`callback ${callback_id}`]);
  const before = await query
    .selectFrom('callback_ids')
    .select('outcome')
    .where('callback_id', '=', callback_id)
    .executeTakeFirst();
  if (before !== undefined) return JSON.parse(before.outcome);
  const outcome = await apply();
  if (isDone(outcome)) {
    const row = { callback_id, received_at, outcome: JSON.stringify(outcome) };
    await query.insertInto('callback_ids').values(row).execute();
  }
  return outcome;
}

export const forgetCallbackIds = background(
  { changes: [] },
  async ({ query }, { now }: { now: number }): Promise<void> => {
    await query
      .deleteFrom('callback_ids')
      .where('received_at', '<', now - REMEMBERED_MS)
      .execute();
  },
);
