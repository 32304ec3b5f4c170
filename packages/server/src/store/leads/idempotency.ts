import { IDEMPOTENCY_KEPT_MS, type Idempotency } from '../../domain/leads/idempotency.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';

/** The answers that servers got under an `Idempotency-Key`, for a day: hashes and ids only. */

export type AnsweredIds = { leadPublicId: string; submissionPublicId: string };

type Asked = { integrationId: number; idempotency: Idempotency; at: number };

/**
 * The earlier answer under this key; null: none. Concurrent requests with one key wait here for each other,
 * so they must not hold a lock on a person yet.
 */
export async function findAnswer(
  { dialect }: Db,
  { integrationId, idempotency: { keyHash, bodyHash }, at }: Asked,
): Promise<AnsweredIds | 'other_body' | null> {
  await dialect.lockEach([`idempotency\n${integrationId}\n${keyHash}`]);
  const [known] = await dialect.run<AnsweredIds & { bodyHash: string }>(
    `select body_hash as "bodyHash", lead_public_id as "leadPublicId",
      lead_submission_public_id as "submissionPublicId"
    from idempotency_keys where integration_id = ? and key_hash = ? and answered_at > ?`,
    [integrationId, keyHash, at - IDEMPOTENCY_KEPT_MS],
  );
  if (known === undefined) return null;
  const { bodyHash: knownBody, ...ids } = known;
  return knownBody === bodyHash ? ids : 'other_body';
}

/** Replaces an expired answer that has not been cleaned up yet. */
export async function rememberAnswer(
  { dialect }: Db,
  { integrationId, idempotency, at }: Asked,
  { leadPublicId, submissionPublicId }: AnsweredIds,
): Promise<void> {
  await dialect.insertRows(
    'idempotency_keys',
    [
      {
        integration_id: integrationId,
        key_hash: idempotency.keyHash,
        body_hash: idempotency.bodyHash,
        answered_at: at,
        lead_public_id: leadPublicId,
        lead_submission_public_id: submissionPublicId,
      },
    ],
    `(integration_id, key_hash) do update set body_hash = excluded.body_hash, answered_at = excluded.answered_at,
      lead_public_id = excluded.lead_public_id, lead_submission_public_id = excluded.lead_submission_public_id`,
  );
}

/** Of submissions that are to be erased. */
export async function forgetAnswers(
  { query, dialect }: Db,
  submissionPublicIds: readonly string[],
): Promise<void> {
  if (submissionPublicIds.length === 0) return;
  await query
    .deleteFrom('idempotency_keys')
    .where('lead_submission_public_id', 'in', dialect.anyOf(submissionPublicIds))
    .execute();
}

export const cleanUpIdempotencyKeys = background(
  { changes: [] },
  async ({ query }, { now }: { now: number }): Promise<number> => {
    const { numDeletedRows } = await query
      .deleteFrom('idempotency_keys')
      .where('answered_at', '<=', now - IDEMPOTENCY_KEPT_MS)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },
);
