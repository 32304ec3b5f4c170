import { memoize } from '../../lib/memoize.ts';
import { cut } from './page-address.ts';

/** Device, browser and operating system by the user agent, else `(unknown)`. */
export type Device = { device: 'desktop' | 'phone' | 'tablet' | typeof UNKNOWN; browser: string; os: string };

const UNKNOWN = '(unknown)';

/** The first match wins: most browsers also name others that they are compatible with. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b|\bOPiOS\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(?:DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\bUC ?Browser\//, 'UC Browser'],
  [/\bMiuiBrowser\//, 'Mi Browser'],
  [/\bHuaweiBrowser\//, 'Huawei Browser'],
  [/\bSilk\//, 'Silk'],
  [/\bInstagram\b/, 'Instagram'],
  [/\bFB(?:AN|AV|_IAB)\b/, 'Facebook'],
  [/\bLinkedInApp\b/, 'LinkedIn'],
  [/\bGSA\//, 'Google App'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\/|\bAppleWebKit\/.*\bMobile\//, 'Safari'],
  [/\bMSIE |\bTrident\//, 'Internet Explorer'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

const TABLET = /\biPad\b|\bTablet\b|\bKindle\b|\bSilk\/(?!.*\bMobile\b)|\bAndroid\b(?!.*\bMobile\b)/;
const PHONE = /\bMobi(?:le)?\b|\biPhone\b|\biPod\b|\bWindows Phone\b/;

/** Longer than any browser's. Bounds the work, as some of these patterns are quadratic. */
const USER_AGENT_CHARS_MAX = 1024;

/** There are far fewer user agents than visits. */
const read = memoize(4096, (userAgent): Device => {
  const os = nameIn(SYSTEMS, userAgent);
  return { device: deviceIn(userAgent, os), browser: nameIn(BROWSERS, userAgent), os };
});

export function deviceOf(userAgent: string | null): Device {
  return read(cut(userAgent ?? '', USER_AGENT_CHARS_MAX));
}

function deviceIn(userAgent: string, os: string): Device['device'] {
  if (TABLET.test(userAgent)) return 'tablet';
  if (PHONE.test(userAgent)) return 'phone';
  return os === UNKNOWN ? UNKNOWN : 'desktop';
}

function nameIn(table: readonly (readonly [RegExp, string])[], userAgent: string): string {
  return table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? UNKNOWN;
}
