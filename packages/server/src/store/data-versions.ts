import type { Db } from './dialect.ts';
import type { Topic } from './topics.ts';

/** For each read whose answers may be kept, a number that grows with every change of what it shows. */
export type DataVersions = Readonly<Record<string, number>>;
/** The same for each topic. It becomes visible together with the change. */
export type TopicVersions = Readonly<Partial<Record<Topic, number>>>;

/**
 * A write notes only the name of its operation, in one row; here that becomes the topics it may have changed. In
 * PostgreSQL an operation has several rows, so that writers do not wait for one another; their sum counts.
 */
export async function topicVersions(
  { dialect }: Db,
  changedBy: (operation: string) => readonly Topic[],
): Promise<TopicVersions> {
  const rows = await dialect.run<{ operation: string; version: number }>(SELECT_VERSIONS[dialect.kind], []);
  const versions: Partial<Record<Topic, number>> = {};
  for (const { operation, version } of rows) {
    for (const topic of changedBy(operation)) versions[topic] = (versions[topic] ?? 0) + version;
  }
  return versions;
}

/**
 * In SQLite leads are not noted: each leaves a row in one of two tables whose numbers only grow, and their last
 * numbers are kept anyway. PostgreSQL hands out numbers before the commit, so there they would tell too early.
 */
export const COUNTED_BY_ROWS = 'captureLead';

const SELECT_NOTED = 'select operation, sum(version) as version from data_versions group by operation';
const SELECT_VERSIONS = {
  postgres: SELECT_NOTED,
  sqlite: `${SELECT_NOTED} union all
    select '${COUNTED_BY_ROWS}', coalesce(sum(seq), 0) from sqlite_sequence
    where name in ('submissions', 'set_aside_leads')`,
};
