import type { AppSettings } from '../flows/app-settings.ts';
import type { WebFile } from './web-files.ts';

/** Where the scripts and the tracking endpoints are found; the usual names go on working beside others. */
export type ScriptPaths = { tracker: string; form: string; recorder: string; track: string };

export const USUAL_PATHS: ScriptPaths = {
  tracker: '/t.js',
  form: '/f.js',
  recorder: '/r.js',
  track: '/track',
};

/** What the form script can do without, its spam checks, and what follows consent tools: they need no other names. */
const EXTRAS_PATH = '/fx.js';
/** The extras load it by this name. */
const SPAM_CHECK_PATH = '/sc.js';
const CONSENT_PATH = '/c.js';

/** An hour: after that a change of the settings, or a new version, has reached every page. */
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
  // The scripts are served whatever happens to the store.
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
  /** What the script has to know about the service stands in front of it, so that it need not ask. */
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
 * A script as pages get it. Almost all of its functions run while a page loads: browsers that understand the first line
 * compile them with the script, beside the page, and not one by one when they are called and the page has to wait.
 */
export function configuredScript(config: ScriptConfig, source: string): string {
  return `//# allFunctionsCalledOnLoad\n(()=>{const LEADTRAIL_CONFIG=${JSON.stringify(config)};${source}})();`;
}

/** From the folder of a script up to where the service's addresses begin. */
function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}
