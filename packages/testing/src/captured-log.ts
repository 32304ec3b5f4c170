import type { Log } from '../../server/src/ports/log.ts';

export type LoggedLine = { level: string; message: string; fields: Record<string, unknown> };

/** Keeps what is logged, in order. */
export function capturingLog(logged: LoggedLine[]): Log {
  const at =
    (level: string) =>
    (message: string, fields = {}) =>
      void logged.push({ level, message, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
