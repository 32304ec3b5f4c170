import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { backoffMs } from '../lib/backoff.ts';
import { AppError, reasonOf, unavailable } from '../lib/errors.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import { migrate } from '../store/migrate.ts';
import type { Schema } from '../store/schema.ts';

/** Brings the tables of a PostgreSQL to the present shape, now or once the server is there. */
export type PostgresSchema = {
  /** Rejects while the tables are not there. */
  ready(): Promise<void> | undefined;
  /** Resolves when they are; undefined: they are already. */
  whenOpen(): Promise<void> | undefined;
  stop(): void;
};

/** A start does not wait longer for a server that is silent, or for the migration of another process. */
const START_MS_MAX = 10 * SECOND_MS;
const NEVER = new Promise<never>(() => undefined);
const RETRY = { minMs: 250, maxMs: 5 * SECOND_MS };

/** Without a log the server has to be there. What cannot pass by waiting always fails the start. */
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
      // Of a service that is stopping nobody waits for the store any more.
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
  // Whoever waits for it hears of it; at the end of the service nobody does.
  opening?.catch(() => undefined);
  return {
    ready: () =>
      isOpen ? undefined : Promise.reject(unavailable('The store cannot do this at present.', awayBecause)),
    whenOpen: () => (isOpen ? undefined : opening),
    stop: () => stopping.abort(),
  };
}
