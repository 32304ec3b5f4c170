import { sessionKey } from '../domain/questions/copied-rows.ts';
import type { Bookmark, Change } from '../store/answers/changes.ts';
import { blocksOf } from './duckdb-blocks.ts';
import type { DuckdbCopy } from './duckdb-copy.ts';
import type { Page } from './duckdb-pages.ts';
import type { StoreReader } from './store-reader.ts';

/** Reads from the store for a columnar copy: everything, or only the changes. */

const LEADS_PER_STEP = 1000;
const SESSIONS_PER_STEP = 5000;
/** Each commit waits for the disk, so many pages share one. */
const PAGES_PER_TRANSACTION = 50;

export async function copyAll(
  copy: DuckdbCopy,
  { pages, store, isStopped }: { pages: AsyncGenerator<Page>; store: StoreReader; isStopped: () => boolean },
): Promise<void> {
  try {
    for (let hasMore = true; hasMore; ) {
      await copy.inTransaction(async () => {
        for (let n = 0; hasMore && n < PAGES_PER_TRANSACTION; n += 1) {
          if (isStopped()) throw new Error('Stopped while the copy was being made.');
          const { value: page } = await pages.next();
          if (page === undefined) hasMore = false;
          else await copy.add(page.table, page.blocks);
        }
      });
    }
  } finally {
    await pages.return(undefined);
  }
  await copy.add('costs', blocksOf('costs', await store.read('copiedCosts')));
}

/** Reads the current rows that the changes name, and replaces those of the copy. */
export async function takeIn(
  copy: DuckdbCopy,
  store: StoreReader,
  changes: readonly Change[],
  bookmark: Bookmark,
): Promise<void> {
  if (changes.length === 0) return;
  const idsOf = (...kinds: Change['kind'][]) => [
    ...new Set(changes.filter(({ kind }) => kinds.includes(kind)).flatMap(({ ids }) => JSON.parse(ids))),
  ];
  const sessions: string[] = idsOf('sessions', 'erased');
  const leads = new Set<number>(idsOf('leads'));
  await copy.inTransaction(async () => {
    for (const ids of partsOf(sessions, SESSIONS_PER_STEP)) {
      const { rows, leadIds } = await store.read('visitsOf', { ids });
      for (const leadId of leadIds) leads.add(leadId);
      await copy.change({ sessions: ids.map(sessionKey), visits: rows });
    }
    for (const leadIds of partsOf([...leads], LEADS_PER_STEP)) {
      const submissions = await store.read('submissionsOfLeads', { leadIds });
      await copy.change({ leads: leadIds, submissions });
    }
    const hasCosts = changes.some(({ kind }) => kind === 'costs');
    await copy.change({ ...(hasCosts ? { costs: await store.read('copiedCosts') } : {}), bookmark });
  });
}

function* partsOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
