import { LOG_LEVELS, type LogLevel } from '../config.ts';
import type { Log, LogFields } from '../ports/log.ts';

/** One JSON line for each message, from the given level up. */
export function openJsonLog(level: LogLevel, write: (line: string) => void): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const at = (name: LogLevel) => {
    if (LOG_LEVELS.indexOf(name) < lowest) return () => undefined;
    return (message: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level: name, message, ...fields })}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
