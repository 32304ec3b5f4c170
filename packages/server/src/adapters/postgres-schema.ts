import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { backoffMs } from '../lib/backoff.ts';
import { AppError, reasonOf, unavailable } from '../lib/errors.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import { migrate } from '../store/migrate.ts';
import type { Schema } from '../store/schema.ts';

/** Migrates the tables, now or once the server can be reached. */
export type PostgresSchema = {
  /** Rejects until the tables are migrated. */
  ready(): Promise<void> | undefined;
  /** Resolves when they are; undefined: they already are. */
  whenOpen(): Promise<void> | undefined;
  stop(): void;
};

/** How long a start waits for a silent server, or for the migration of another process. */
const START_MS_MAX = 10 * SECOND_MS;
const NEVER = new Promise<never>(() => undefined);
const RETRY = { minMs: 250, maxMs: 5 * SECOND_MS };

/** Without a log the server must be reachable. Errors that waiting cannot fix fail the start in any case. */
export async function openPostgresSchema(db: Kysely<Schema>, log: Log | undefined): Promise<PostgresSchema> {
  const stopping = new AbortController();
  let isOpen = false;
  let awayBecause: unknown = new Error('It is being migrated.');

  async function open(): Promise<void> {
    await migrate(db, 'postgres', (step, progress) => log?.info('migration', { step, ...progress }));
    isOpen = true;
  }

  async function retry(first: Promise<void>): Promise<void> {
    let told = '';
    for (let failures = 1; ; failures += 1) {
      try {
        await (failures === 1 ? first : open());
        log?.info('store is there');
        return;
      } catch (error) {
        awayBecause = (error as Error).cause ?? error;
        if (reasonOf(error) !== told) log?.warn('store is away', { reason: reasonOf(error) });
        told = reasonOf(error);
      }
      // The service is stopping: nothing waits for the store any longer.
      await sleep(backoffMs(failures, RETRY), undefined, { signal: stopping.signal }).catch(() => NEVER);
    }
  }

  const first = open();
  const late = Symbol('late');
  const outcome = await Promise.race([
    first.catch((error: unknown) => {
      if (log === undefined || !(error instanceof AppError && error.code === 'unavailable')) throw error;
    }),
    ...(log === undefined ? [] : [sleep(START_MS_MAX, late, { ref: false })]),
  ]);
  if (outcome === late) log?.warn('store is away', { reason: 'It does not answer, or is being migrated.' });
  const opening = isOpen ? undefined : retry(first);
  // Callers of `whenOpen` get the rejection; while stopping, there may be none.
  opening?.catch(() => undefined);
  return {
    ready: () =>
      isOpen ? undefined : Promise.reject(unavailable('The store cannot do this at present.', awayBecause)),
    whenOpen: () => (isOpen ? undefined : opening),
    stop: () => stopping.abort(),
  };
}
