import { type Block, blocksOf } from './duckdb-blocks.ts';
import type { StoreReader } from './store-reader.ts';

/** Everything that a copy consists of, in pages. */

export const PAGED_TABLES = ['visits', 'submissions'] as const;
export type PagedTable = (typeof PAGED_TABLES)[number];
export type Page = { table: PagedTable; blocks: Block[] };

const SESSIONS_PER_PAGE = 8192;
const LEADS_PER_PAGE = 1000;

export async function* pagesOf(store: Pick<StoreReader, 'read'>): AsyncGenerator<Page> {
  for (const table of PAGED_TABLES) yield* pagesOfTable(table, store);
}

export function pagesOfTable(table: PagedTable, store: Pick<StoreReader, 'read'>): AsyncGenerator<Page> {
  return table === 'visits' ? pagesOfVisits(store) : pagesOfSubmissions(store);
}

async function* pagesOfVisits(store: Pick<StoreReader, 'read'>): AsyncGenerator<Page> {
  for (let after = ''; ; ) {
    const { rows, last } = await store.read('visitsAfter', { after, max: SESSIONS_PER_PAGE });
    if (last === undefined) return;
    yield { table: 'visits', blocks: blocksOf('visits', rows) };
    after = last;
  }
}

async function* pagesOfSubmissions(store: Pick<StoreReader, 'read'>): AsyncGenerator<Page> {
  for (let after = 0; ; ) {
    const leadIds = await store.read('leadsAfter', { after, max: LEADS_PER_PAGE });
    const last = leadIds.at(-1);
    if (last === undefined) return;
    const rows = await store.read('submissionsOfLeads', { leadIds });
    yield { table: 'submissions', blocks: blocksOf('submissions', rows) };
    after = last;
  }
}
