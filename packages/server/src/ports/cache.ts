/** Memory for plain data that may be lost at any time. Processes may share it or have one each. */
export type Cache = {
  get<T>(key: CacheKey<T>): Promise<T | undefined>;
  /** Without a time it stays for as long as there is room. */
  set<T>(key: CacheKey<T>, value: NoInfer<T>, ttlMs?: number): Promise<void>;
  delete(key: CacheKey<unknown>): Promise<void>;
};

/** Knows what is kept under it. */
export type CacheKey<T> = string & { readonly [kept]?: T };
declare const kept: unique symbol;

/** Two keys are the same only if all their parts are. */
export function cacheKey<T>(...parts: readonly (string | number)[]): CacheKey<T> {
  return parts.map((part) => encodeURIComponent(part)).join(':') as CacheKey<T>;
}

/** Whether anyone wants to hear of a lead drought: spares the store the question. */
export const LEAD_DROUGHT_ENABLED = cacheKey<boolean>('lead_drought_enabled');
/** What the settings are remembered under; deleted when they change. They stay in the store, for there are secrets among them. */
export const SETTINGS_VERSION = cacheKey<string>('settings_version');
