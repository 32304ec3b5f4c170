import * as answerChanges from './answers/changes.ts';
import * as answerCosts from './answers/costs.ts';
import * as answerSubmissions from './answers/submissions.ts';
import * as answerVisits from './answers/visits.ts';
import * as archives from './archives.ts';
import * as conversions from './conversions.ts';
import * as costs from './costs.ts';
import { type DataVersions, topicVersions } from './data-versions.ts';
import type { Db } from './dialect.ts';
import * as dropdownOptions from './dropdown-options.ts';
import * as archivedSessions from './erase/archived-sessions.ts';
import * as erasePerson from './erase/erase-person.ts';
import * as erasedReplays from './erase/erased-replays.ts';
import * as scrubs from './erase/scrubs.ts';
import * as flowSendDelivery from './flow-sends/deliver.ts';
import * as flowSends from './flow-sends/manage.ts';
import * as formUse from './form-use.ts';
import * as inboxes from './inboxes.ts';
import * as integrations from './integrations.ts';
import * as ipLists from './ip-lists.ts';
import * as jobRuns from './job-runs.ts';
import * as leadDroughts from './lead-droughts.ts';
import * as leadAcceptance from './leads/accept.ts';
import * as leadCallbackIds from './leads/callback-ids.ts';
import * as leadCallbacks from './leads/callbacks.ts';
import * as leadCapture from './leads/capture.ts';
import * as leadDetail from './leads/detail.ts';
import * as leadFigures from './leads/figures.ts';
import * as leadForwarding from './leads/forward.ts';
import * as leadIdempotency from './leads/idempotency.ts';
import * as leadIndex from './leads/lead-index.ts';
import * as leadList from './leads/list.ts';
import * as leadLookUp from './leads/look-up.ts';
import * as leadMerging from './leads/merge.ts';
import * as leadNotes from './leads/notes.ts';
import * as leadRenewal from './leads/renew.ts';
import * as leadReview from './leads/review.ts';
import * as names from './names.ts';
import * as objectCatalogue from './object-catalogue.ts';
import * as objectCopies from './object-copies.ts';
import {
  type Locks,
  type Operation,
  type OperationKinds,
  ping,
  type ShownOperation,
  versions,
} from './operation.ts';
import * as queueFigures from './queue-figures.ts';
import * as recount from './recount.ts';
import * as refresh from './refresh.ts';
import * as replayList from './replay-list.ts';
import * as replays from './replays.ts';
import * as engine from './reports/engine.ts';
import * as live from './reports/live.ts';
import * as statistics from './reports/statistics.ts';
import * as visits from './reports/visits.ts';
import * as retentionFingerprints from './retention/fingerprints.ts';
import * as retentionLeads from './retention/leads.ts';
import * as retentionPreview from './retention/preview.ts';
import * as retentionSessions from './retention/sessions.ts';
import * as retentionTexts from './retention/texts.ts';
import * as savedViews from './saved-views.ts';
import * as senderSnapshot from './sender-snapshot.ts';
import * as setAsideLeads from './set-aside-leads.ts';
import * as settings from './settings.ts';
import * as sharedLinks from './shared-links.ts';
import * as sites from './sites.ts';
import * as submissions from './submissions.ts';
import { TOPICS, type Topic } from './topics.ts';
import * as trackingCleanUp from './tracking/clean-up.ts';
import * as idleSessions from './tracking/end-idle.ts';
import * as ingest from './tracking/ingest.ts';
import * as originRenewal from './tracking/renew-origins.ts';

/** Everything that files with operations export; helpers are left out below. */
const exported = {
  ...answerChanges,
  ...answerCosts,
  ...answerSubmissions,
  ...answerVisits,
  ...archives,
  ...conversions,
  ...costs,
  ...dropdownOptions,
  ...names,
  ...archivedSessions,
  ...erasePerson,
  ...erasedReplays,
  ...scrubs,
  ...flowSendDelivery,
  ...flowSends,
  ...formUse,
  ...inboxes,
  ...integrations,
  ...ipLists,
  ...jobRuns,
  ...leadDroughts,
  ...leadAcceptance,
  ...leadCallbackIds,
  ...leadCallbacks,
  ...leadCapture,
  ...leadDetail,
  ...leadFigures,
  ...leadForwarding,
  ...leadIdempotency,
  ...leadIndex,
  ...leadList,
  ...leadLookUp,
  ...leadMerging,
  ...leadNotes,
  ...leadRenewal,
  ...leadReview,
  ...objectCatalogue,
  ...objectCopies,
  ...queueFigures,
  ...recount,
  ...refresh,
  ...replayList,
  ...replays,
  ...engine,
  ...live,
  ...statistics,
  ...visits,
  ...retentionFingerprints,
  ...retentionLeads,
  ...retentionPreview,
  ...retentionSessions,
  ...retentionTexts,
  ...savedViews,
  ...senderSnapshot,
  ...setAsideLeads,
  ...settings,
  ...sharedLinks,
  ...sites,
  ...submissions,
  ...trackingCleanUp,
  ...idleSessions,
  ...ingest,
  ...originRenewal,

  dataVersions: versions(async (db): Promise<DataVersions> => {
    const byTopic = await topicVersions(db, topicsChangedBy);
    const versionOf = (topics: readonly Topic[]) =>
      topics.reduce((sum, topic) => sum + (byTopic[topic] ?? 0), 0);
    return Object.fromEntries(shown.map(([name, topics]) => [name, versionOf([...topics, 'refresh'])]));
  }),
  ping: ping(async ({ query }) => query.selectNoFrom((e) => e.val(1).as('alive')).executeTakeFirst()),
};

type Exported = typeof exported;
type NameOf<Wanted> = { [N in keyof Exported]: Exported[N] extends Wanted ? N : never }[keyof Exported];

export type OperationName = NameOf<Operation>;
export type Operations = Pick<Exported, OperationName>;
/** Of an operation whose answers may be kept. */
export type ShownName = NameOf<ShownOperation>;

const operations = new Map(Object.entries<unknown>(exported).filter(isOperation));

function isOperation(entry: [string, unknown]): entry is [string, Operation] {
  return typeof entry[1] === 'function' && 'kind' in entry[1];
}

export const operationKinds: OperationKinds = [...operations].map(([name, { kind }]) => [name, kind]);
const shown = [...operations].flatMap(([name, { shows }]) =>
  shows === undefined ? [] : [[name, shows] as const],
);

/** Types were checked where the store was called. */
export function run(db: Db, name: string, argument: unknown): Promise<unknown> {
  const operation = operations.get(name) as unknown as (db: Db, argument: unknown) => Promise<unknown>;
  return operation(db, argument);
}

export function locksOf(name: string, argument: unknown): Locks | undefined {
  return operations.get(name)?.locks?.(argument as never);
}

/** An operation that is unknown here, of a later version of the service, may change anything. */
export function topicsChangedBy(name: string): readonly Topic[] {
  const operation = operations.get(name);
  return operation === undefined ? TOPICS : (operation.changes ?? []);
}

export function topicsShownBy(name: string): readonly Topic[] {
  return operations.get(name)?.shows ?? TOPICS;
}
