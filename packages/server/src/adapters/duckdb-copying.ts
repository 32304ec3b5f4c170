import { sessionKey } from '../domain/questions/copied-rows.ts';
import type { Bookmark, Change } from '../store/answers/changes.ts';
import type { DuckdbCopy } from './duckdb-copy.ts';
import type { StoreReader } from './store-reader.ts';

/** What is brought from the store to a columnar copy: everything, or what has changed. */

const SESSIONS_PER_PAGE = 5000;
const LEADS_PER_PAGE = 1000;
const IDS_PER_STEP = 5000;
/** One transaction for many pages: each would wait for the disk. */
const PAGES_PER_TRANSACTION = 50;

export async function copyAll(copy: DuckdbCopy, store: StoreReader, isStopped: () => boolean): Promise<void> {
  const inPages = async (copyPage: () => Promise<boolean>) => {
    for (let hasMore = true; hasMore; ) {
      await copy.inTransaction(async () => {
        for (let pages = 0; hasMore && pages < PAGES_PER_TRANSACTION; pages += 1) {
          if (isStopped()) throw new Error('Stopped while the copy was being made.');
          hasMore = await copyPage();
        }
      });
    }
  };
  let afterSession = '';
  await inPages(async () => {
    const { rows, last } = await store.read('visitsAfter', { after: afterSession, max: SESSIONS_PER_PAGE });
    await copy.add({ visits: rows });
    afterSession = last ?? afterSession;
    return last !== undefined;
  });
  let afterLead = 0;
  await inPages(async () => {
    const leadIds = await store.read('leadsAfter', { after: afterLead, max: LEADS_PER_PAGE });
    await copy.add({ submissions: await store.read('submissionsOfLeads', { leadIds }) });
    afterLead = leadIds.at(-1) ?? afterLead;
    return leadIds.length > 0;
  });
  await copy.add({ costs: await store.read('copiedCosts') });
}

/** Reads what the changes name, and puts it in the place of what the copy has of it. */
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
    for (const ids of partsOf(sessions, IDS_PER_STEP)) {
      const { rows, leadIds } = await store.read('visitsOf', { ids });
      for (const leadId of leadIds) leads.add(leadId);
      await copy.change({ sessions: ids.map(sessionKey), visits: rows });
    }
    for (const leadIds of partsOf([...leads], LEADS_PER_PAGE)) {
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
