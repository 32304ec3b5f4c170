import { sql } from 'kysely';
import type { FormRecord } from '../../domain/leads/form-fields.ts';
import type { Db } from '../dialect.ts';

/**
 * Payloads of submissions, read in bounded chunks: a client may send long ones, and any number of them for
 * one lead, so they must never all be in memory together.
 */

export type SentPayload = { submission_id: number; payload_bytes: number };

/** Without reading the payload itself. */
export const PAYLOAD_BYTES = sql<number>`octet_length(payload_json)`;

const BYTES_AT_ONCE = 8 * 1024 ** 2;

/** Maps the payload of each submission, in order; skips submissions that are gone by now. */
export async function readPayloads<S extends SentPayload, R>(
  { query, dialect }: Db,
  submissions: readonly S[],
  read: (payload: FormRecord, submission: S) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const some of partsOf(submissions)) {
    const ids = some.map(({ submission_id }) => submission_id);
    const rows = await query
      .selectFrom('submissions')
      .select(['submission_id', 'payload_json'])
      .where('submission_id', 'in', dialect.anyOf(ids))
      .execute();
    const payloads = new Map(rows.map(({ submission_id, payload_json }) => [submission_id, payload_json]));
    for (const submission of some) {
      const payload = payloads.get(submission.submission_id);
      if (payload !== undefined) results.push(read(JSON.parse(payload), submission));
    }
  }
  return results;
}

/** Nearly always a single part. */
function* partsOf<S extends SentPayload>(submissions: readonly S[]): Generator<S[]> {
  let part: S[] = [];
  let bytes = 0;
  for (const submission of submissions) {
    if (part.length > 0 && bytes + submission.payload_bytes > BYTES_AT_ONCE) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(submission);
    bytes += submission.payload_bytes;
  }
  if (part.length > 0) yield part;
}

/** Drops the longest if all of them are too much to be shown at once. */
export function withoutLongest<S extends Pick<SentPayload, 'payload_bytes'>>(all: readonly S[]): S[] {
  let room = BYTES_AT_ONCE;
  const shown = new Set<S>();
  for (const each of all.toSorted((one, other) => one.payload_bytes - other.payload_bytes)) {
    room -= each.payload_bytes;
    if (room >= 0) shown.add(each);
  }
  return all.filter((each) => shown.has(each));
}
