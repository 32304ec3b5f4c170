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
/** Asked with every visit, so not each time. */
const FOLLOWED_MS = SECOND_MS;

/**
 * The settings as the service uses them: read from the store at most once a minute, and after every change. They are
 * remembered under a version that lives in the cache for a minute; to forget them is to delete it. So processes that
 * share a cache hear of a change at once, others within the minute.
 */
export type AppSettings = {
  current(): Promise<Settings>;
  /** Without waiting: what was read last, looked up anew every second. Undefined before the first reading. */
  recent(): Settings | undefined;
  /** From the store, whatever is remembered. */
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

  /** The settings are read only after this is set: a change that was made before is seen, a later one deletes it. */
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

  /** Concurrent callers at the same version share a read. */
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

  /** A slow or failing store must not hold up requests: then the previous settings will do. */
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
      // Also when it fails: the change may have been stored before the answer was lost.
      await store.saveSettings(change).finally(forget);
      return refresh(await versionNow());
    },
  };
}
