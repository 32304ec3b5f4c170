import type { Db } from './dialect.ts';
import type { OperationName } from './operations.ts';
import { type Topic, topicsChangedBy } from './topics.ts';

/** For each topic a number that grows with every change, and becomes visible together with it. */
export type DataVersions = Readonly<Partial<Record<Topic, number>>>;

/**
 * Whoever writes notes only which operation it was, in one row: what it may have changed is put together here. In
 * PostgreSQL there are several rows for each, so that writers do not wait for one another; their sum counts.
 */
export async function dataVersions({ dialect }: Db): Promise<DataVersions> {
  const rows = await dialect.run<{ operation: string; version: number }>(SELECT_VERSIONS[dialect.kind], []);
  const versions: Partial<Record<Topic, number>> = {};
  for (const { operation, version } of rows) {
    for (const topic of topicsChangedBy(operation)) versions[topic] = (versions[topic] ?? 0) + version;
  }
  return versions;
}

/**
 * In SQLite leads are not noted: each leaves a row in one of two tables whose numbers only grow, and their last
 * numbers are kept anyway. PostgreSQL hands out numbers before the commit, so there they would tell too early.
 */
export const COUNTED_BY_ROWS: OperationName = 'captureLead';

const SELECT_NOTED = 'select operation, sum(version) as version from data_versions group by operation';
const SELECT_VERSIONS = {
  postgres: SELECT_NOTED,
  sqlite: `${SELECT_NOTED} union all
    select '${COUNTED_BY_ROWS}', coalesce(sum(seq), 0) from sqlite_sequence
    where name in ('submissions', 'set_aside_leads')`,
};
