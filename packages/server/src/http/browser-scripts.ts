import type { AppSettings } from '../flows/app-settings.ts';
import type { WebFile } from './web-files.ts';

/** Paths of the scripts and the tracking endpoints; the usual ones keep working beside others. */
export type ScriptPaths = { tracker: string; form: string; recorder: string; track: string };

export const USUAL_PATHS: ScriptPaths = {
  tracker: '/t.js',
  form: '/f.js',
  recorder: '/r.js',
  track: '/track',
};

/**
 * Loaded later by the other scripts, so their paths are not configurable: optional parts of the form script,
 * its spam checks, and the listener for consent tools.
 */
const EXTRAS_PATH = '/fx.js';
/** The extras script loads it under this name. */
const SPAM_CHECK_PATH = '/sc.js';
const CONSENT_PATH = '/c.js';

/** One hour: how long a page may lag behind a change of the settings, or a new version. */
const HEADERS = {
  'cache-control': 'public, max-age=3600',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'timing-allow-origin': '*',
};

export type ScriptConfig = {
  root: string;
  track: string;
  recorder: string;
  extras: string;
  consent: string;
  replayRate: number;
};
type Sources = Readonly<
  Record<'tracker' | 'form' | 'recorder' | 'extras' | 'spamCheck' | 'consent', () => Promise<string>>
>;

/** The scripts that customers put on their pages. */
export function browserScripts(
  sources: Sources,
  paths: ScriptPaths,
  settings: AppSettings,
): [string, WebFile][] {
  // The scripts must be served even while the store is away.
  let lastKnownRate = 0;
  const replayRate = async () => {
    const known = await settings.current().catch(() => undefined);
    lastKnownRate = known?.replaySampleRate ?? lastKnownRate;
    return lastKnownRate;
  };
  const script = (path: string, read: () => Promise<string>): [string, WebFile] => [
    path,
    { type: 'text/javascript; charset=utf-8', headers: HEADERS, read },
  ];
  /** Prepends the configuration to the script, which saves it a request. */
  const configured = (path: string, source: () => Promise<string>) =>
    script(path, async () => {
      const config = {
        root: rootFrom(path),
        track: `${paths.track.slice(1)}/`,
        recorder: paths.recorder.slice(1),
        extras: EXTRAS_PATH.slice(1),
        consent: CONSENT_PATH.slice(1),
        replayRate: await replayRate(),
      };
      return configuredScript(config, await source());
    });

  return [
    ...both('tracker').map((path) => configured(path, sources.tracker)),
    ...both('form').map((path) => configured(path, sources.form)),
    ...both('recorder').map((path) => script(path, sources.recorder)),
    script(EXTRAS_PATH, sources.extras),
    script(SPAM_CHECK_PATH, sources.spamCheck),
    script(CONSENT_PATH, sources.consent),
  ];

  function both(name: 'tracker' | 'form' | 'recorder'): string[] {
    return [...new Set([USUAL_PATHS[name], paths[name]])];
  }
}

/**
 * A script as it is served. Almost all of its functions run during page load. Browsers that understand the
 * first line compile them eagerly, off the main thread, instead of lazily at their first call.
 */
export function configuredScript(config: ScriptConfig, source: string): string {
  return `//# allFunctionsCalledOnLoad\n(()=>{const LEADTRAIL_CONFIG=${JSON.stringify(config)};${source}})();`;
}

/** The relative path from a script's folder to the root of the service. */
function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}
