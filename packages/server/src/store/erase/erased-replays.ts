import { forgetObjects } from '../archives.ts';
import { background, primaryRead } from '../operation.ts';

/** Recordings of erased people in the object store. Deleting is idempotent, so they need no lease. */

export const erasedReplayKeys = primaryRead(
  async ({ query }, { max }: { max: number }): Promise<string[]> => {
    const steps = await query
      .selectFrom('erasure_steps')
      .select('id')
      .where('step', '=', 'replay')
      .orderBy('id')
      .limit(max)
      .execute();
    return steps.map(({ id }) => id);
  },
);

/** Call once these objects are deleted. */
export const forgetErasedReplays = background(
  { changes: ['objects', 'replays'] },
  async (db, { keys }: { keys: readonly string[] }): Promise<void> => {
    await forgetObjects(db, { keys });
    await db.query
      .deleteFrom('erasure_steps')
      .where('step', '=', 'replay')
      .where('id', 'in', db.dialect.anyOf(keys))
      .execute();
  },
);
