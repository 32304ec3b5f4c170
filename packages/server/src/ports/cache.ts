/** A cache for plain data, which may be lost at any time. Processes share one or have one each. */
export type Cache = {
  get<T>(key: CacheKey<T>): Promise<T | undefined>;
  /** Without a TTL, the value stays until it is evicted. */
  set<T>(key: CacheKey<T>, value: NoInfer<T>, ttlMs?: number): Promise<void>;
  delete(key: CacheKey<unknown>): Promise<void>;
};

/** Carries the type of its value. */
export type CacheKey<T> = string & { readonly [kept]?: T };
declare const kept: unique symbol;

/** Two keys are the same only if all their parts are. */
export function cacheKey<T>(...parts: readonly (string | number)[]): CacheKey<T> {
  return parts.map((part) => encodeURIComponent(part)).join(':') as CacheKey<T>;
}

/** Whether lead drought alerts are on: saves a query. */
export const LEAD_DROUGHT_ENABLED = cacheKey<boolean>('lead_drought_enabled');
/** Deleted when the settings change, so that processes reread them. The settings hold secrets: not cached. */
export const SETTINGS_VERSION = cacheKey<string>('settings_version');
