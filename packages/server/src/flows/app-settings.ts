import {
  type SavedSettings,
  type SettingDefaults,
  type Settings,
  settingsOf,
} from '../domain/setup/settings.ts';
import { MINUTE_MS } from '../lib/utc-time.ts';
import { type Cache, LEAD_DROUGHT_ENABLED, SETTINGS_VERSION } from '../ports/cache.ts';
import type { Store } from '../store/store.ts';

const KEPT_MS = MINUTE_MS;
const PATIENCE_MS = 200;

/**
 * The settings as the service uses them: read from the store at most once a minute, and after every change. Processes
 * that share a cache hear of each other's changes at once, others within the minute.
 */
export type AppSettings = {
  current(): Promise<Settings>;
  /** Without the memory of the last minute. */
  latest(): Promise<Settings>;
  save(change: SavedSettings): Promise<Settings>;
};

export function makeAppSettings(parts: {
  store: Store;
  cache: Cache;
  defaults: SettingDefaults;
  now: () => number;
  newId: () => string;
}): AppSettings {
  let known: { settings: Settings; version: string; until: number } | undefined;
  let reading: { settings: Promise<Settings>; version: string } | undefined;
  let changes = 0;

  /**
   * Another one after every change, here or in a process that shares the cache. Who asks for it before reading the
   * settings never takes old ones for new: they become visible before their version does.
   */
  async function versionNow(): Promise<string> {
    const shared = await sharedVersion().catch(() => 'the cache is away');
    return `${changes} ${shared}`;
  }

  async function sharedVersion(): Promise<string> {
    return (await parts.cache.get(SETTINGS_VERSION)) ?? newVersion();
  }

  /** Never one that was there before, so that what was read under that no longer counts. */
  async function newVersion(): Promise<string> {
    const version = parts.newId();
    await parts.cache.set(SETTINGS_VERSION, version);
    return version;
  }

  async function read(version: string): Promise<Settings> {
    const settings = settingsOf(await parts.store.readSettings(), parts.defaults);
    known = { settings, version, until: parts.now() + KEPT_MS };
    await setFlags(settings);
    return settings;
  }

  /** For those who must not ask the store. Set with every reading, so that a cache that was lost or away comes right. */
  async function setFlags({ leadDroughtEnabled }: Settings): Promise<void> {
    await parts.cache.set(LEAD_DROUGHT_ENABLED, leadDroughtEnabled).catch(() => undefined);
  }

  /** All who want to know the same version share a reading. */
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

  /** Whoever waits for an answer must not wait for the settings as well: soon those of before will do. */
  function refreshedOr(before: Settings, version: string): Promise<Settings> {
    const { promise: soon, resolve } = Promise.withResolvers<Settings>();
    const timer = setTimeout(resolve, PATIENCE_MS, before);
    refresh(version)
      .then(resolve, () => resolve(before))
      .finally(() => clearTimeout(timer));
    return soon;
  }

  return {
    latest: async () => read(await versionNow()),
    async current() {
      const version = await versionNow();
      if (known === undefined) return refresh(version);
      const now = parts.now();
      // A clock that was set back must not keep them for ever.
      const isFresh = now < known.until && known.until <= now + KEPT_MS;
      return isFresh && known.version === version ? known.settings : refreshedOr(known.settings, version);
    },
    async save(change) {
      // Even where it fails: the change may have been stored before its answer was lost.
      await parts.store.saveSettings(change).finally(() => {
        changes += 1;
        known = undefined;
        return newVersion().catch(() => undefined);
      });
      return read(await versionNow());
    },
  };
}
