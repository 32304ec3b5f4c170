import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { OperatorError } from '../lib/errors.ts';
import type { DialectKind } from './dialect.ts';
import { trackingTables } from './migrations/0001-tracking.ts';
import { leadTables } from './migrations/0002-leads.ts';
import { leadLists } from './migrations/0003-lead-lists.ts';
import { dropdownOptionTable } from './migrations/0004-dropdown-options.ts';
import { jobTables } from './migrations/0005-job-runs.ts';
import { versionTables } from './migrations/0006-data-versions.ts';
import { erasureTables } from './migrations/0007-erasures.ts';
import { replayTables } from './migrations/0008-replays.ts';
import { leadRenewals } from './migrations/0009-lead-renewals.ts';
import { sendResults } from './migrations/0010-send-results.ts';
import { peopleTables } from './migrations/0011-people.ts';
import { submissionSearch } from './migrations/0012-submission-search.ts';
import { crmEventKeys } from './migrations/0013-crm-event-keys.ts';
import { objectOrder } from './migrations/0014-object-order.ts';
import { limits } from './migrations/0015-limits.ts';
import { retentionTables } from './migrations/0016-retention.ts';
import { visitOrigins } from './migrations/0017-visit-origins.ts';
import { answerChanges } from './migrations/0018-answer-changes.ts';
import { moneyTables } from './migrations/0019-money.ts';
import { programTables } from './migrations/0020-programs.ts';
import { leadPulls } from './migrations/0021-lead-pulls.ts';
import { inboxTable } from './migrations/0022-inboxes.ts';
import { adConversions } from './migrations/0023-ad-conversions.ts';
import { formSettings } from './migrations/0024-form-settings.ts';
import { submissionSlots } from './migrations/0026-submission-slots.ts';
import { notesAndViews } from './migrations/0027-notes-and-views.ts';
import { leadFilters } from './migrations/0028-lead-filters.ts';
import { sharedLinks } from './migrations/0029-shared-links.ts';
import { spamChecks } from './migrations/0030-spam-checks.ts';
import { openSessions } from './migrations/0031-open-sessions.ts';
import { nameKeys } from './migrations/0032-name-keys.ts';
import { searchLines } from './migrations/0033-search-lines.ts';
import { serverAddresses } from './migrations/0034-server-addresses.ts';

type Step = (db: Kysely<unknown>, dialect: DialectKind) => Promise<void>;

/** In order; a step that has been released is never changed. */
export const STEPS: Readonly<Record<string, Step>> = {
  '0001-tracking': trackingTables,
  '0002-leads': leadTables,
  '0003-lead-lists': leadLists,
  '0004-dropdown-options': dropdownOptionTable,
  '0005-job-runs': jobTables,
  '0006-data-versions': versionTables,
  '0007-erasures': erasureTables,
  '0008-replays': replayTables,
  '0009-lead-renewals': leadRenewals,
  '0010-send-results': sendResults,
  '0011-people': peopleTables,
  '0012-submission-search': submissionSearch,
  '0013-crm-event-keys': crmEventKeys,
  '0014-object-order': objectOrder,
  '0015-limits': limits,
  '0016-retention': retentionTables,
  '0017-visit-origins': visitOrigins,
  '0018-answer-changes': answerChanges,
  '0019-money': moneyTables,
  '0020-programs': programTables,
  '0021-lead-pulls': leadPulls,
  '0022-inboxes': inboxTable,
  '0023-ad-conversions': adConversions,
  '0024-form-settings': formSettings,
  '0026-submission-slots': submissionSlots,
  '0027-notes-and-views': notesAndViews,
  '0028-lead-filters': leadFilters,
  '0029-shared-links': sharedLinks,
  '0030-spam-checks': spamChecks,
  '0031-open-sessions': openSessions,
  '0032-name-keys': nameKeys,
  '0033-search-lines': searchLines,
  '0034-server-addresses': serverAddresses,
};

export type StepProgress = { state: 'started' } | { state: 'done'; ms: number };
export type OnStep = (name: string, progress: StepProgress) => void;

/** The number that Kysely locks for a session: processes of earlier versions wait for it, too. */
const MIGRATION_LOCK = '3853314791062309107';

/** Runs the pending migrations. Several processes may start at once: one of them does the work. */
export async function migrate<S>(
  db: Kysely<S>,
  dialect: DialectKind,
  onStep: OnStep = () => undefined,
): Promise<void> {
  try {
    if (dialect === 'sqlite') return await runSteps(db, dialect, onStep);
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)}::bigint)`.execute(transaction);
      await runSteps(transaction, dialect, onStep);
    });
  } catch (error) {
    if ((await schemaAge(db)) !== 'newer') throw error;
    throw new OperatorError(
      'The database was last used by a newer version: start that version, or restore a backup.',
      { cause: error },
    );
  }
}

async function runSteps<S>(db: Kysely<S>, dialect: DialectKind, onStep: OnStep): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: {
      async getMigrations() {
        return Object.fromEntries(
          Object.entries(STEPS).map(([name, step]) => [
            name,
            {
              async up(connection) {
                const startedAt = performance.now();
                onStep(name, { state: 'started' });
                await step(connection, dialect);
                onStep(name, { state: 'done', ms: Math.round(performance.now() - startedAt) });
              },
            } satisfies Migration,
          ]),
        );
      },
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** How the schema of a database compares with the current one. */
export type SchemaAge = 'none' | 'older' | 'present' | 'newer';

/** Compares the migrations noted in the database with those known here. */
export async function schemaAge<S>(db: Kysely<S>): Promise<SchemaAge> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return 'none';
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}
  `.execute(db);
  const taken = new Set(rows.map(({ name }) => name));
  if (rows.some(({ name }) => !(name in STEPS))) return 'newer';
  return Object.keys(STEPS).every((name) => taken.has(name)) ? 'present' : 'older';
}
