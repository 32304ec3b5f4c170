import { mentionsPerson } from '../../domain/leads/mentions.ts';
import type { Person } from '../../domain/leads/person.ts';
import type { Db } from '../dialect.ts';
import { crmKey } from '../leads/callbacks.ts';

/** Parked CRM events and early records that name the person. Only their text leads to them. */

const ROWS_READ_AT_ONCE = 200;

/** Removes a matching event together with all that wait for the same lead of the CRM. Returns how many. */
export async function forgetWaitingCrmEvents(db: Db, person: Person): Promise<number> {
  const { query, dialect } = db;
  const crmIds = new Set<string>();
  for (let after = 0; ; ) {
    const events = await query
      .selectFrom('unmatched_crm_events')
      .select(['id', 'crm_lead_id', 'payload'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(ROWS_READ_AT_ONCE)
      .execute();
    for (const event of events) if (mentionsPerson(event.payload, person)) crmIds.add(event.crm_lead_id);
    if (events.length < ROWS_READ_AT_ONCE) break;
    after = events.at(-1)?.id ?? after;
  }
  if (crmIds.size === 0) return 0;
  // Waits for events that are being stored, so that none is left behind.
  await dialect.lockEach([...crmIds].map(crmKey));
  const { numDeletedRows } = await query
    .deleteFrom('unmatched_crm_events')
    .where('crm_lead_id', 'in', dialect.anyOf([...crmIds]))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Removes a matching record together with all of its session. Returns how many. */
export async function forgetEarlyRecords({ query, dialect }: Db, person: Person): Promise<number> {
  const sessionIds = new Set<string>();
  // Keyset pagination by the primary key: many may be parked, and a step must not sort them all.
  for (let after = { session_id: '', received_at: 0, spool_id: '', sequence: 0, position: 0 }; ; ) {
    const { session_id, received_at, spool_id, sequence, position } = after;
    const records = await query
      .selectFrom('early_records')
      .select(['session_id', 'received_at', 'spool_id', 'sequence', 'position', 'record'])
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('session_id', 'received_at', 'spool_id', 'sequence', 'position'),
          '>',
          tuple(session_id, received_at, spool_id, sequence, position),
        ),
      )
      .orderBy('session_id')
      .orderBy('received_at')
      .orderBy('spool_id')
      .orderBy('sequence')
      .orderBy('position')
      .limit(ROWS_READ_AT_ONCE)
      .execute();
    for (const each of records) if (mentionsPerson(each.record, person)) sessionIds.add(each.session_id);
    if (records.length < ROWS_READ_AT_ONCE) break;
    after = records.at(-1) ?? after;
  }
  if (sessionIds.size === 0) return 0;
  const { numDeletedRows } = await query
    .deleteFrom('early_records')
    .where('session_id', 'in', dialect.anyOf([...sessionIds]))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
