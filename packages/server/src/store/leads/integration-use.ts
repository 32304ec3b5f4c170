import { MINUTE_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import type { KnownIntegration } from './look-up.ts';

/** Precision of the last use; saves a write for most leads. */
const LAST_USE_GRAIN_MS = MINUTE_MS;

export async function noteUse(
  { query }: Db,
  integration: KnownIntegration | null,
  at: number,
): Promise<void> {
  if (integration === null) return;
  const { id, lastUsedAt } = integration;
  if (lastUsedAt !== null && at - lastUsedAt < LAST_USE_GRAIN_MS) return;
  await query.updateTable('integrations').set({ last_used_at: at }).where('id', '=', id).execute();
}
