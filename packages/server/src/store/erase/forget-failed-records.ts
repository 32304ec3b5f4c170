import type { Db } from '../dialect.ts';
import type { FailedRecordRow } from '../schema.ts';
import { parseFailed, removeFailed } from '../tracking/failed-records.ts';

/** Removes failed records that name one of these visitors or sessions; returns how many. */
export async function forgetFailedRecords(
  db: Db,
  visitorIds: readonly string[],
  sessionIds: readonly string[],
): Promise<number> {
  const { query, dialect } = db;
  const failed = await query
    .selectFrom('failed_records')
    .select(['spool_id', 'sequence', 'position', 'record'])
    .execute();
  const ofVisitors = failed.filter(({ record }) => names(record, 'visitor_id', visitorIds));
  // A session whose start failed has no row, but later records may be parked for it.
  const sessions = [...sessionIds, ...ofVisitors.flatMap(({ record }) => sessionOf(record))];
  const ofSessions = failed.filter(({ record }) => names(record, 'session_id', sessions));
  const named = new Set([...ofVisitors, ...ofSessions]);
  for (const record of named) await removeFailed(db, record);
  if (ofVisitors.length > 0) {
    await query.deleteFrom('early_records').where('session_id', 'in', dialect.anyOf(sessions)).execute();
  }
  return named.size;
}

type Text = FailedRecordRow['record'];

function names(record: Text, field: 'visitor_id' | 'session_id', ids: readonly string[]): boolean {
  const parsed = parseFailed(record);
  const id = parsed?.[field];
  return parsed === undefined ? ids.some((each) => record.includes(each)) : ids.includes(String(id));
}

function sessionOf(record: Text): string[] {
  const id = parseFailed(record)?.session_id;
  return typeof id === 'string' ? [id] : [];
}
