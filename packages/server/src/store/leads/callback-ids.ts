import { MINUTE_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';

/** Signed callbacks that have been applied. */

/** Its `webhook-id`, prefixed with the endpoint; null: an unsigned callback has none. */
export type CallbackId = { id: string; at: number } | null;

/** Replay window: a signature is valid from five minutes before its timestamp to five minutes after. */
const REMEMBERED_MS = 10 * MINUTE_MS;

/**
 * Applies a callback and remembers its outcome in one transaction, so that repeating it is idempotent. A
 * callback that found nothing to change is not remembered: it may succeed when it is sent again later.
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
