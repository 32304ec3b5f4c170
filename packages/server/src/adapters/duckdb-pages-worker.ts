import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from './duckdb-blocks.ts';
import { type Page, type PagedTable, pagesOfTable } from './duckdb-pages.ts';
import { openStoreReader, type StorePlace } from './store-reader.ts';
import { giveWay } from './thread-priority.ts';

/**
 * The thread that reads one table for a copy being made, while another thread writes what was read before.
 */

export type PagesPlace = { store: StorePlace; table: PagedTable; nice: number };
/** Null: there are no more pages. */
export type PagesMessage = Page | null;

/** Back-pressure: pages posted but not taken yet. */
const PAGES_AHEAD_MAX = 4;

const port = parentPort;
if (port === null) throw new Error('A table is read in a worker thread.');
const { store: place, table, nice } = workerData as PagesPlace;
giveWay(nice);
const store = await openStoreReader(place);
let ahead = 0;
let onTaken = () => {};
port.on('message', () => {
  ahead -= 1;
  onTaken();
});
for await (const page of pagesOfTable(table, store)) {
  while (ahead >= PAGES_AHEAD_MAX) {
    await new Promise<void>((resolve) => {
      onTaken = resolve;
    });
  }
  ahead += 1;
  port.postMessage(page satisfies PagesMessage, buffersOf(page.blocks));
}
port.postMessage(null satisfies PagesMessage);
await store.close();
port.close();
