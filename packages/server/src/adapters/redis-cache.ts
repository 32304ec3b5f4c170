import { DAY_MS } from '../lib/utc-time.ts';
import type { Cache } from '../ports/cache.ts';
import { openMemoryCache } from './memory-cache.ts';
import type { RedisConnection } from './redis-connection.ts';

/** So that Redis forgets an installation that was removed. */
const TTL_MS_MAX = DAY_MS;

/**
 * A cache shared by all processes while Redis answers. While it does not, each process has its own. When
 * Redis is back, every key that this process has ever set is deleted there: its value may predate the outage,
 * or a change of it may have got lost.
 */
export function redisCache(redis: RedisConnection, prefix: string, now: () => number): Cache {
  const own = openMemoryCache({ now });
  // Stays small: one key for each kind of cached value.
  const everSet = new Set<string>();
  redis.onBack(() => {
    if (everSet.size > 0) void redis.tell(['DEL', ...everSet]);
  });

  return {
    async get(key) {
      const answer = await redis.ask(['GET', prefix + key]);
      if (answer === undefined) return own.get(key);
      return typeof answer.reply === 'string' ? JSON.parse(answer.reply) : undefined;
    },
    async set(key, value, ttlMs = TTL_MS_MAX) {
      await own.set(key, value, ttlMs);
      everSet.add(prefix + key);
      const px = String(Math.min(Math.ceil(ttlMs), TTL_MS_MAX));
      await redis.tell(['SET', prefix + key, JSON.stringify(value), 'PX', px]);
    },
    async delete(key) {
      await own.delete(key);
      await redis.tell(['DEL', prefix + key]);
    },
  };
}
