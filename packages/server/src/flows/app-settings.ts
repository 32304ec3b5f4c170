import { type SavedSettings, type SettingDefaults, type Settings, settingsOf } from '../domain/settings.ts';
import { MINUTE_MS } from '../domain/utc-time.ts';
import type { Store } from '../store/store.ts';

const KEPT_MS = MINUTE_MS;

/** The settings as the service uses them: read from the store at most once a minute, and after every change. */
export type AppSettings = {
  current(): Promise<Settings>;
  /** Without the memory of the last minute. */
  latest(): Promise<Settings>;
  save(change: SavedSettings): Promise<Settings>;
};

export function makeAppSettings(parts: {
  store: Store;
  defaults: SettingDefaults;
  now: () => number;
}): AppSettings {
  let kept: { until: number; settings: Promise<Settings> } | undefined;

  function latest(): Promise<Settings> {
    const settings = parts.store.readSettings().then((saved) => settingsOf(saved, parts.defaults));
    const entry = { until: parts.now() + KEPT_MS, settings };
    kept = entry;
    // A failure is not worth remembering.
    settings.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return settings;
  }

  return {
    latest,
    async current() {
      const now = parts.now();
      // A clock that was set back must not keep an entry for ever.
      const isFresh = kept !== undefined && now < kept.until && kept.until <= now + KEPT_MS;
      return isFresh && kept !== undefined ? kept.settings : latest();
    },
    async save(change) {
      // Even where it fails: the change may have been stored before its answer was lost.
      await parts.store.saveSettings(change).finally(() => {
        kept = undefined;
      });
      return latest();
    },
  };
}
