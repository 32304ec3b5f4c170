import type { Db } from '../dialect.ts';
import type { FailedRecordRow } from '../schema.ts';

/** The tracking records that could not be applied: kept as they came, until they can be. */

export type FailedKey = Pick<FailedRecordRow, 'spool_id' | 'sequence' | 'position'>;

/** In the order of their inbox: the start of a session comes before its events. */
export function failedAfter(
  { query }: Db,
  after: FailedKey | undefined,
  max: number,
): Promise<FailedRecordRow[]> {
  const { spool_id, sequence, position } = after ?? { spool_id: '', sequence: 0, position: 0 };
  return query
    .selectFrom('failed_records')
    .selectAll()
    .where((is) =>
      is(is.refTuple('spool_id', 'sequence', 'position'), '>', is.tuple(spool_id, sequence, position)),
    )
    .orderBy('spool_id')
    .orderBy('sequence')
    .orderBy('position')
    .limit(max)
    .execute();
}

export async function removeFailed(
  { query }: Db,
  { spool_id, sequence, position }: FailedKey,
): Promise<void> {
  await query
    .deleteFrom('failed_records')
    .where('spool_id', '=', spool_id)
    .where('sequence', '=', sequence)
    .where('position', '=', position)
    .execute();
}

/** Undefined: it is no JSON object, which may be why it failed. */
export function parseFailed(record: FailedRecordRow['record']): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(record);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The sessions whose start could not be applied. */
export async function sessionsFailedToStart({ query }: Db): Promise<string[]> {
  const failed = await query.selectFrom('failed_records').select('record').execute();
  return failed.flatMap(({ record }) => {
    const { kind, session_id } = parseFailed(record) ?? {};
    return kind === 'start' && typeof session_id === 'string' ? [session_id] : [];
  });
}
