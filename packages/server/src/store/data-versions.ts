import type { Db } from './dialect.ts';
import type { Topic } from './topics.ts';

/** By name of a cacheable read: a number that grows with every change to what it shows. */
export type DataVersions = Readonly<Record<string, number>>;
/** The same by topic. A version becomes visible together with the change. */
export type TopicVersions = Readonly<Partial<Record<Topic, number>>>;

/**
 * A write increments a single row, that of its operation; here operations are mapped to the topics they may
 * change. In PostgreSQL an operation has several rows to avoid contention; the version is their sum.
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
 * SQLite needs no row for captured leads: each inserts into one of two tables with autoincrement, whose last
 * numbers `sqlite_sequence` keeps anyway. PostgreSQL hands out numbers before the commit, so there the
 * version would change too early.
 */
export const COUNTED_BY_ROWS = 'captureLead';

const SELECT_NOTED = 'select operation, sum(version) as version from data_versions group by operation';
const SELECT_VERSIONS = {
  postgres: SELECT_NOTED,
  sqlite: `${SELECT_NOTED} union all
    select '${COUNTED_BY_ROWS}', coalesce(sum(seq), 0) from sqlite_sequence
    where name in ('submissions', 'set_aside_leads')`,
};
