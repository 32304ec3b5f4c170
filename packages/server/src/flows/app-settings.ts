import { type SavedSettings, type SettingDefaults, type Settings, settingsOf } from '../domain/settings.ts';
import { MINUTE_MS } from '../domain/utc-time.ts';
import { type Cache, LEAD_DROUGHT_ENABLED } from '../ports/cache.ts';
import type { Store } from '../store/store.ts';

const KEPT_MS = MINUTE_MS;
const PATIENCE_MS = 200;

/** The settings as the service uses them: read from the store at most once a minute, and after every change. */
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
}): AppSettings {
  let known: { settings: Settings; until: number } | undefined;
  let reading: Promise<Settings> | undefined;
  let changes = 0;

  async function latest(): Promise<Settings> {
    const changesBefore = changes;
    const settings = settingsOf(await parts.store.readSettings(), parts.defaults);
    // What was read while a change was being saved may be either.
    if (changes !== changesBefore) return settings;
    known = { settings, until: parts.now() + KEPT_MS };
    await setFlags(settings);
    return settings;
  }

  /** For those who must not ask the store. Set with every reading, so that a cache that was lost or away comes right. */
  async function setFlags({ leadDroughtEnabled }: Settings): Promise<void> {
    await parts.cache.set(LEAD_DROUGHT_ENABLED, leadDroughtEnabled).catch(() => undefined);
  }

  function refresh(): Promise<Settings> {
    reading ??= latest().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** Whoever waits for an answer must not wait for the settings as well: soon those of before will do. */
  function refreshedOr(before: Settings): Promise<Settings> {
    const { promise: soon, resolve } = Promise.withResolvers<Settings>();
    const timer = setTimeout(resolve, PATIENCE_MS, before);
    refresh()
      .then(resolve, () => resolve(before))
      .finally(() => clearTimeout(timer));
    return soon;
  }

  return {
    latest,
    async current() {
      if (known === undefined) return refresh();
      const now = parts.now();
      // A clock that was set back must not keep them for ever.
      const isFresh = now < known.until && known.until <= now + KEPT_MS;
      return isFresh ? known.settings : refreshedOr(known.settings);
    },
    async save(change) {
      // Even where it fails: the change may have been stored before its answer was lost.
      await parts.store.saveSettings(change).finally(() => {
        changes += 1;
        known = undefined;
        reading = undefined;
      });
      return latest();
    },
  };
}
