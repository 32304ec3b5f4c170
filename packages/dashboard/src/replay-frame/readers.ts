/** Read a value of one type; anything else is undefined. */

export type Reader<T = unknown> = (value: unknown) => T | undefined;

type Read<R> = R extends Reader<infer T> ? T : never;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const number: Reader<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const string: Reader<string> = (value) => (typeof value === 'string' ? value : undefined);

export const boolean: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value) => (value === null ? null : read(value));
}

/** The items that can be read; of anything but a list none. */
export function list<T>(read: Reader<T>): (value: unknown) => T[] {
  return (value) => {
    if (!Array.isArray(value)) return [];
    return value.map(read).filter((item) => item !== undefined);
  };
}

/** These fields and no others. */
export function shape<F extends Record<string, Reader>>(
  fields: F,
): Reader<{ [K in keyof F]?: Read<F[K]> | undefined } & Record<string, unknown>> {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return undefined;
    const found = entries.map(([name, read]) => [name, read(value[name])] as const);
    return Object.fromEntries(found.filter(([, field]) => field !== undefined)) as never;
  };
}
