import type { Db } from './dialect.ts';
import { type Topic, topicsChangedBy } from './topics.ts';

/** For each topic a number that grows with every change, and becomes visible together with it. */
export type DataVersions = Readonly<Partial<Record<Topic, number>>>;

/**
 * Whoever writes notes only which operation it was, in one row: what it may have changed is put together here. In
 * PostgreSQL there are several rows for each, so that writers do not wait for one another; their sum counts.
 */
export async function dataVersions({ dialect }: Db): Promise<DataVersions> {
  const rows = await dialect.run<{ operation: string; version: number }>(
    'select operation, sum(version) as version from data_versions group by operation',
    [],
  );
  const versions: Partial<Record<Topic, number>> = {};
  for (const { operation, version } of rows) {
    for (const topic of topicsChangedBy(operation)) versions[topic] = (versions[topic] ?? 0) + version;
  }
  return versions;
}
