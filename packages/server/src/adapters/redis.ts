import { scryptSync } from 'node:crypto';
import type { Cache } from '../ports/cache.ts';
import type { Log } from '../ports/log.ts';
import type { SharedCounter } from '../ports/shared-counter.ts';
import { redisCache } from './redis-cache.ts';
import { openRedisConnection } from './redis-connection.ts';
import { redisCounter, trialCommand } from './redis-counter.ts';

/** What the processes of one installation share through Redis. */
export type Redis = { cache: Cache; counter: SharedCounter; isUp(): boolean; close(): void };

const NAME_BYTES = 9;
const SECRET_BYTES = 32;

/**
 * Several installations may share one Redis: the key prefix of each is derived from its admin key. Opens
 * whether or not Redis can be reached.
 */
export async function openRedis({
  url,
  adminKey,
  now,
  log,
}: {
  url: string;
  adminKey: string;
  now: () => number;
  log: Log;
}): Promise<Redis> {
  // A slow derivation, so that the prefix does not help to guess the key.
  const derived = scryptSync(adminKey, 'leadtrail redis', NAME_BYTES + SECRET_BYTES);
  const prefix = `leadtrail:${derived.toString('base64url', 0, NAME_BYTES)}:`;
  const connection = await openRedisConnection({ url, trial: trialCommand(prefix), log });
  return {
    cache: redisCache(connection, prefix, now),
    counter: redisCounter(connection, prefix, derived.toString('base64url', NAME_BYTES)),
    isUp: connection.isUp,
    close: connection.close,
  };
}
