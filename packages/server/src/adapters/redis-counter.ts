import { hash } from 'node:crypto';
import type { SharedCounter } from '../ports/shared-counter.ts';
import type { RedisConnection } from './redis-connection.ts';

/** A script, so that a count never exists without its TTL. */
const COUNT = `
local count = redis.call('INCRBY', KEYS[1], ARGV[3])
if count == tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local missing = tonumber(ARGV[1]) - count
if missing > 0 then count = redis.call('INCRBY', KEYS[1], missing) end
return count`;

const NAME_CHARACTERS = 22;
const TRIAL_TTL_MS = 1000;

/** Counts in Redis. Names may be addresses of people, so they are hashed with a secret. */
export function redisCounter(redis: RedisConnection, prefix: string, secret: string): SharedCounter {
  // On the hot path of tracking: an HMAC takes four times as long.
  const nameOf = (name: string) => hash('sha256', secret + name, 'base64url').slice(0, NAME_CHARACTERS);
  return {
    async count(name, atLeast, ttlMs, amount = 1) {
      const answer = await redis.ask(countCommand(`${prefix}count:${nameOf(name)}`, atLeast, ttlMs, amount));
      return typeof answer?.reply === 'number' ? answer.reply : undefined;
    },
  };
}

/** A trial that needs every permission that the other commands need. */
export function trialCommand(prefix: string): string[] {
  return countCommand(`${prefix}trial`, 0, TRIAL_TTL_MS, 1);
}

function countCommand(key: string, atLeast: number, ttlMs: number, amount: number): string[] {
  return ['EVAL', COUNT, '1', key, ...[atLeast, ttlMs, amount].map(String)];
}
