import type { Erased, PersonIdentifiers, WouldErase } from '@leadtrail/contract/erase';
import { readPerson } from '../domain/leads/person.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { ErasedRows } from '../store/erase/erase-person.ts';
import type { Adoption } from './adopt-inboxes.ts';
import { type ErasureParts, eraseFromArchives, eraseReplays, eventually, scrub } from './finish-erasures.ts';
import type { KnownSenders } from './known-senders.ts';

export type ErasePerson = (given: PersonIdentifiers) => Promise<Erased | WouldErase>;
export type ErasePersonParts = ErasureParts & {
  adoption: Adoption;
  leadAdoption: Adoption;
  senders: KnownSenders;
};

/** Outlasts the lease of a process that has died. */
const PATIENCE_MS = 35 * SECOND_MS;
/** Above this, VACUUM would delay leads for too long, so it runs at night. */
const SCRUB_AT_ONCE_BYTES_MAX = 512 * 1024 ** 2;

/** Removes a person from every store. Remaining steps are stored, so a retry or the nightly job resumes after a crash. */
export function makeErasePerson(parts: ErasePersonParts): ErasePerson {
  const { store, now, newId, log } = parts;
  return async ({ dry_run: dryRun = false, ...given }) => {
    const deadline = performance.now() + PATIENCE_MS;
    const person = readPerson(given);

    await untilProcessed(parts, deadline);
    const rows = await eventually(deadline, 'A lead of this person is just being sent.', () =>
      store.erasePerson({ erasureId: newId(), person, now: now(), dryRun }),
    );
    if (dryRun) return { dry_run: true, counts: countsOf(rows, rows.sessions), leads: rows.found };
    const fromObjects = await eraseFromArchives(parts, deadline);
    await eraseReplays(parts);
    await parts.senders.refresh();
    const scrubbed = (await scrub(parts, SCRUB_AT_ONCE_BYTES_MAX)) === 'clean';

    const counts = countsOf(rows, rows.queuedSessions + fromObjects);
    log.info('person erased', { ...counts, scrubbed });
    return { erased: true, ...counts, scrubbed };
  };
}

function countsOf(rows: ErasedRows, archivedSessions: number): WouldErase['counts'] {
  return {
    leads: rows.leads,
    submissions: rows.submissions,
    flow_sends: rows.flowSends,
    crm_events: rows.crmEvents,
    set_aside_leads: rows.setAsideLeads,
    sessions: rows.sessions,
    replays: rows.replays,
    archived_sessions: archivedSessions,
  };
}

/** Waits, because records in an inbox and logged leads would not be found. */
async function untilProcessed(parts: ErasePersonParts, deadline: number): Promise<void> {
  const areProcessed = [parts.inbox, parts.leadLog].map((each) => each.mark());
  const areAdopted = () => [parts.adoption, parts.leadAdoption].every((each) => each.backlog().records === 0);
  await eventually(deadline, 'Too many records are waiting; try again shortly.', async () =>
    areProcessed.every((isProcessed) => isProcessed()) && areAdopted() ? true : null,
  );
}
