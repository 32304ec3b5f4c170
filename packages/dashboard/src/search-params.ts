/** Readers for what an address says. Whatever does not make sense is left out, so that every link works. */

export type RawSearch = Record<string, unknown>;

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function oneOf<const V extends string>(value: unknown, allowed: readonly V[]): V | undefined {
  return allowed.find((each) => each === value);
}

export function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

/** Zero is where every list begins, and need not be said. */
export function offsetOf(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** Without what is undefined, so that addresses stay short. */
export function said<S extends RawSearch>(search: S): { [K in keyof S]?: Exclude<S[K], undefined> } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;
}
