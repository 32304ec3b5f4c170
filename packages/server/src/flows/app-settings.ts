import {
  type SavedSettings,
  type SettingDefaults,
  type Settings,
  settingsOf,
} from '../domain/setup/settings.ts';
import { withTimeout } from '../lib/timeout.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import { type Cache, LEAD_DROUGHT_ENABLED, SETTINGS_VERSION } from '../ports/cache.ts';
import type { Store } from '../store/store.ts';

const REMEMBERED_MS = MINUTE_MS;
const PATIENCE_MS = 200;
/** Every visit asks, so the version is checked only this often. */
const FOLLOWED_MS = SECOND_MS;

/**
 * The settings, read from the store at most once a minute and after every change. They are remembered under a
 * version that stays in the cache for a minute; deleting it invalidates them. So processes that share a cache
 * see a change at once, others within a minute.
 */
export type AppSettings = {
  current(): Promise<Settings>;
  /**
   * Synchronous: the settings last read, refreshed in the background
   * every second. Undefined before the first read.
   */
  recent(): Settings | undefined;
  /** Reads from the store, bypassing what is remembered. */
  latest(): Promise<Settings>;
  save(change: SavedSettings): Promise<Settings>;
};

export function makeAppSettings(parts: {
  store: Store;
  cache: Cache;
  defaults: SettingDefaults;
  newId: () => string;
}): AppSettings {
  const { store, cache } = parts;
  let known: { settings: Settings; version: string } | undefined;
  let reading: { settings: Promise<Settings>; version: string } | undefined;
  let renewing: Promise<string> | undefined;
  let followedAt = Number.NEGATIVE_INFINITY;

  async function versionNow(): Promise<string> {
    const version = await cache.get(SETTINGS_VERSION).catch(() => undefined);
    if (version !== undefined) return version;
    renewing ??= renewVersion().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  /**
   * Must be set before the settings are read: an earlier change is
   * then seen by the read, a later one deletes the version.
   */
  async function renewVersion(): Promise<string> {
    const version = parts.newId();
    await cache.set(SETTINGS_VERSION, version, REMEMBERED_MS).catch(() => undefined);
    return version;
  }

  async function forget(): Promise<void> {
    await cache.delete(SETTINGS_VERSION).catch(() => undefined);
  }

  async function read(version: string): Promise<Settings> {
    const settings = settingsOf(await store.readSettings(), parts.defaults);
    known = { settings, version };
    // For jobs that must not ask the store. Set with every read, so that a lost cache recovers.
    await cache.set(LEAD_DROUGHT_ENABLED, settings.leadDroughtEnabled).catch(() => undefined);
    return settings;
  }

  /** Concurrent callers with the same version share a read. */
  function refresh(version: string): Promise<Settings> {
    if (reading?.version === version) return reading.settings;
    const mine = { version, settings: read(version) };
    reading = mine;
    const end = () => {
      if (reading === mine) reading = undefined;
    };
    mine.settings.then(end, end);
    return mine.settings;
  }

  /** A slow or failing store must not block requests: the previous settings are used then. */
  function refreshedOr(previous: Settings, version: string): Promise<Settings> {
    const refreshed = refresh(version).catch(() => previous);
    return withTimeout(refreshed, PATIENCE_MS, () => previous);
  }

  async function current(): Promise<Settings> {
    const version = await versionNow();
    if (known === undefined) return refresh(version);
    return known.version === version ? known.settings : refreshedOr(known.settings, version);
  }

  return {
    current,
    recent() {
      const now = performance.now();
      if (now - followedAt > FOLLOWED_MS) {
        followedAt = now;
        current().catch(() => undefined);
      }
      return known?.settings;
    },
    async latest() {
      await forget();
      return refresh(await versionNow());
    },
    async save(change) {
      // Also on failure: the change may have been stored before the answer was lost.
      await store.saveSettings(change).finally(forget);
      return refresh(await versionNow());
    },
  };
}
