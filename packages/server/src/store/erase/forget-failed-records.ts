import type { Db } from '../dialect.ts';
import type { FailedRecordRow } from '../schema.ts';

/** Removes what could not be processed and names one of these visitors or sessions; says how many there were. */
export async function forgetFailedRecords(
  { query, dialect }: Db,
  visitorIds: readonly string[],
  sessionIds: readonly string[],
): Promise<number> {
  const failed = await query
    .selectFrom('failed_records')
    .select(['spool_id', 'sequence', 'position', 'record'])
    .execute();
  const ofVisitors = failed.filter(({ record }) => names(record, 'visitor_id', visitorIds));
  // A session whose start failed has no row, but there may be more that waits for it.
  const sessions = [...sessionIds, ...ofVisitors.flatMap(({ record }) => sessionOf(record))];
  const ofSessions = failed.filter(({ record }) => names(record, 'session_id', sessions));
  const named = new Set([...ofVisitors, ...ofSessions]);
  for (const { spool_id, sequence, position } of named) {
    await query
      .deleteFrom('failed_records')
      .where('spool_id', '=', spool_id)
      .where('sequence', '=', sequence)
      .where('position', '=', position)
      .execute();
  }
  if (ofVisitors.length > 0) {
    await query.deleteFrom('early_records').where('session_id', 'in', dialect.anyOf(sessions)).execute();
  }
  return named.size;
}

type Text = FailedRecordRow['record'];

function names(record: Text, field: 'visitor_id' | 'session_id', ids: readonly string[]): boolean {
  const parsed = parse(record);
  const id = parsed?.[field];
  return parsed === undefined ? ids.some((each) => record.includes(each)) : ids.includes(String(id));
}

function sessionOf(record: Text): string[] {
  const id = parse(record)?.session_id;
  return typeof id === 'string' ? [id] : [];
}

/** It may have failed because it is no JSON. */
function parse(record: Text): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(record);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
