import { LOG_LEVELS, type LogLevel } from '../config.ts';
import { makeLru } from '../lib/lru.ts';
import { MINUTE_MS } from '../lib/utc-time.ts';
import type { Log, LogFields } from '../ports/log.ts';

/**
 * An outage or a full disk fails every request, so of identical
 * warnings and errors only this many are written per minute.
 */
const ALIKE_MAX = 5;
const KINDS_MAX = 500;

/** One JSON line for each message, from the given level up. */
export function openJsonLog(level: LogLevel, write: (line: string) => void, now = Date.now): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const leftOut = countAlike(now);
  const at = (name: LogLevel) => {
    if (LOG_LEVELS.indexOf(name) < lowest) return () => undefined;
    const isLimited = name === 'warn' || name === 'error';
    return (message: string, fields: LogFields = {}) => {
      const not_logged = isLimited ? leftOut(message, fields) : 0;
      if (not_logged === undefined) return;
      const line = { time: new Date(now()).toISOString(), level: name, message, ...fields };
      write(`${JSON.stringify(not_logged > 0 ? { ...line, not_logged } : line)}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Returns how many lines like this were left out since the last one; undefined: leave this one out, too. */
function countAlike(now: () => number): (message: string, fields: LogFields) => number | undefined {
  const kinds = makeLru<{ since: number; lines: number }>({ entriesMax: KINDS_MAX });
  return (message, { reason, cause, job, endpoint }) => {
    const key = JSON.stringify([message, reason, cause, job, endpoint]);
    const known = kinds.get(key);
    // `abs`, because the clock may be set back.
    if (known === undefined || Math.abs(now() - known.since) >= MINUTE_MS) {
      kinds.set(key, { since: now(), lines: 1 });
      return Math.max(0, (known?.lines ?? 0) - ALIKE_MAX);
    }
    known.lines += 1;
    return known.lines > ALIKE_MAX ? undefined : 0;
  };
}
