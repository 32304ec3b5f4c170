import type { Person } from '../../domain/leads/person.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { forgetAnswers } from '../leads/idempotency.ts';
import { type RemovedLeads, removeLeads } from '../leads/remove.ts';
import { isHeld } from '../leases.ts';
import { background } from '../operation.ts';
import { eraseReplays } from '../replays.ts';
import { setSavepoint } from '../savepoint.ts';
import { TOPICS } from '../topics.ts';
import { takeOutOfQueue } from './archived-sessions.ts';
import { type FoundLead, type FoundPerson, findAndHold } from './find-person.ts';
import { forgetEarlyRecords, forgetWaitingCrmEvents } from './forget-mentions.ts';
import { forgetVisitors } from './forget-visitors.ts';
import { takeVisitorsAway } from './take-visitors-away.ts';

export type ErasedRows = RemovedLeads & {
  /** What was found, and by which of the given identifiers. */
  found: { lead_id: number; contact_name: string; because: string }[];
  setAsideLeads: number;
  sessions: number;
  /** How many of these were still waiting to be archived. */
  queuedSessions: number;
  replays: number;
};

/**
 * Removes a person from all tables in one transaction. Objects in the object store, and old pages of the
 * database, are left as steps to do: with the rows gone, nothing else would lead there. Null: a delivery of
 * one of the person's leads is in progress, so the erasure has to be repeated later.
 */
export const erasePerson = background(
  // Any kept answer may show the person.
  { changes: TOPICS },
  async (
    db,
    { erasureId, person: meant, now, dryRun }: Erasure & { dryRun?: boolean },
  ): Promise<ErasedRows | null> => {
    await db.dialect.lock('tracking');
    await db.dialect.lock('archives');
    const found = await findAndHold(db, meant);
    if (!dryRun) {
      const leadIds = found.leads.map(({ leadId }) => leadId);
      return (await isBeingSent(db, leadIds, now)) ? null : erase(db, found, erasureId, now);
    }
    // A dry run erases, then rolls back.
    const before = await setSavepoint(db);
    const counted = await erase(db, found, erasureId, now);
    await before.undo();
    return counted;
  },
);

type Erasure = { erasureId: string; person: Person; now: number };

async function erase(
  db: Db,
  { person, leads: found, setAsideIds }: FoundPerson,
  erasureId: string,
  now: number,
): Promise<ErasedRows> {
  const shown = await namesOf(db, found);
  const leads = await removeLeads(
    db,
    found.map(({ leadId }) => leadId),
  );
  const crmEvents = leads.crmEvents + (await forgetWaitingCrmEvents(db, person));
  const setAsideLeads = await removeSetAside(db, setAsideIds);
  const { sessionIds, failedRecords } = await forgetVisitors(db, person.visitors);
  const earlyRecords = await forgetEarlyRecords(db, person);
  const changedLeads = await takeVisitorsAway(db, person.visitors, sessionIds);
  const queued = await takeOutOfQueue(db, sessionIds);
  const { replays, keys } = await eraseReplays(db, sessionIds, now);
  // Leads have been noted where they were removed or changed.
  await noteForAnswers(db, 'erased', sessionIds.length > 0 ? sessionIds : leads.leads > 0 ? [''] : []);
  const touched = [
    leads.leads,
    crmEvents,
    setAsideLeads,
    sessionIds.length,
    failedRecords,
    earlyRecords,
    changedLeads,
  ];
  if (touched.some((rows) => rows > 0))
    await noteSteps(
      db,
      erasureId,
      sessionIds.filter((id) => !queued.has(id)),
      keys,
    );
  return {
    ...leads,
    crmEvents,
    found: shown,
    setAsideLeads,
    sessions: sessionIds.length,
    queuedSessions: queued.size,
    replays,
  };
}

async function namesOf({ query, dialect }: Db, found: readonly FoundLead[]): Promise<ErasedRows['found']> {
  if (found.length === 0) return [];
  const because = new Map(found.map((lead) => [lead.leadId, lead.because.join(', ')]));
  const leads = await query
    .selectFrom('leads')
    .select(['lead_id', 'contact_name'])
    .where('lead_id', 'in', dialect.anyOf([...because.keys()]))
    .orderBy('lead_id')
    .execute();
  return leads.map((lead) => ({ ...lead, because: because.get(lead.lead_id) ?? '' }));
}

/** Locks the sends, so that none can be leased meanwhile. */
async function isBeingSent(
  { query, dialect }: Db,
  leadIds: readonly number[],
  now: number,
): Promise<boolean> {
  if (leadIds.length === 0) return false;
  const sends = await query
    .selectFrom('flow_sends')
    .select('claimed_until')
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .orderBy('flow_send_public_id')
    .modifyEnd(dialect.forUpdate)
    .execute();
  return sends.some((send) => isHeld(send, now));
}

async function removeSetAside(db: Db, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const removed = await db.query
    .deleteFrom('set_aside_leads')
    .where('id', 'in', db.dialect.anyOf(ids))
    .returning('lead_submission_public_id as submissionId')
    .execute();
  await forgetAnswers(
    db,
    removed.flatMap(({ submissionId }) => submissionId ?? []),
  );
  return removed.length;
}

async function noteSteps(
  { dialect }: Db,
  erasureId: string,
  archived: readonly string[],
  recorded: readonly string[],
): Promise<void> {
  await dialect.insertRows(
    'erasure_steps',
    [
      { step: 'scrub', id: erasureId, claimed_until: 0 },
      ...archived.map((id) => ({ step: 'archive' as const, id, claimed_until: 0 })),
      ...recorded.map((id) => ({ step: 'replay' as const, id, claimed_until: 0 })),
    ],
    'do nothing',
  );
}
