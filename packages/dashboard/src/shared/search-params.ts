/** Readers for the parameters of an address. Values that make no sense are dropped, so that every link works. */

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

/** Zero is the default and stays out of the address. */
export function positiveOf(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** Without undefined values. */
export function defined<S extends object>(search: S): { [K in keyof S]?: Exclude<S[K], undefined> } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;
}
