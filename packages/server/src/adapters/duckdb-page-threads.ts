import { Worker } from 'node:worker_threads';
import { threadFile } from '../lib/places.ts';
import { PAGED_TABLES, type Page } from './duckdb-pages.ts';
import type { PagesMessage, PagesPlace } from './duckdb-pages-worker.ts';

/** Large, because a page is made of many short-lived rows. */
const YOUNG_GENERATION_MIB = 24;

/** Reads pages in one thread per table, because reading rows takes longer than writing them. */
export async function* pagesFromThreads(place: Omit<PagesPlace, 'table'>): AsyncGenerator<Page> {
  const read: { page: Page; thread: Worker }[] = [];
  let reading = PAGED_TABLES.length;
  let failure: Error | undefined;
  let onChange = () => {};
  const threads = PAGED_TABLES.map((table) => {
    const thread = new Worker(threadFile('duckdb-pages-worker'), {
      workerData: { ...place, table } satisfies PagesPlace,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    });
    let isOver = false;
    thread.on('message', (page: PagesMessage) => {
      if (page === null) {
        isOver = true;
        reading -= 1;
      } else read.push({ page, thread });
      onChange();
    });
    const fail = (reason: unknown) => {
      if (!isOver) failure ??= reason instanceof Error ? reason : new Error('A thread has ended early.');
      onChange();
    };
    thread.on('error', fail).on('exit', fail);
    return thread;
  });
  try {
    while (reading > 0 || read.length > 0) {
      if (failure !== undefined) throw failure;
      const next = read.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          onChange = resolve;
        });
        continue;
      }
      next.thread.postMessage('taken');
      yield next.page;
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}
