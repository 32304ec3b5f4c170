import type { WebFile } from './web-files.ts';

/** Only files of the service, and no inline scripts or styles. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  // No string becomes markup or script, not even through a library.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Of all permissions, the dashboard needs only fullscreen and the clipboard. */
const PERMISSIONS = [
  ...[
    'accelerometer',
    'autoplay',
    'browsing-topics',
    'camera',
    'display-capture',
    'encrypted-media',
    'geolocation',
  ],
  ...[
    'gyroscope',
    'hid',
    'idle-detection',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'picture-in-picture',
  ],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]
  .map((feature) => `${feature}=()`)
  .join(', ');

const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': PERMISSIONS,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
/**
 * For the page that plays recordings. The player's frame inside has an opaque
 * origin and inherits this policy: it may run its own script only, and can
 * neither load nor send anything. Styles and images are those in the recording.
 */
const REPLAY_FRAME_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  "connect-src 'none'",
  'frame-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  // Needs its own origin, so that it can write into the player's frame.
  'sandbox allow-scripts allow-same-origin',
].join('; ');

const REPLAY_FRAME_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': REPLAY_FRAME_POLICY,
  'x-frame-options': 'SAMEORIGIN',
  'x-dns-prefetch-control': 'off',
};

/** Content-hashed names. Any origin, because a sandboxed frame has an opaque one. */
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
};

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
};

const ROOT = '/dashboard';
const REPLAY_FRAME = 'replay-frame.html';

/** The dashboard: its files, and its single page at all other paths below it. */
export function dashboardFiles(
  folder: ReadonlyMap<string, () => Promise<Buffer>>,
): (readonly [path: string, WebFile])[] {
  const files = [...folder].map(([name, read]) => [`${ROOT}/${name}`, webFile(name, read)] as const);
  const page = new Map(files).get(`${ROOT}/index.html`);
  return page === undefined ? files : [...files, [ROOT, page], [`${ROOT}/*`, page]];
}

function webFile(name: string, read: () => Promise<Buffer>): WebFile {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain; charset=utf-8';
  return { type, headers: headersOf(name), read };
}

function headersOf(name: string): WebFile['headers'] {
  if (name.startsWith('assets/')) return ASSET_HEADERS;
  return name === REPLAY_FRAME ? REPLAY_FRAME_HEADERS : PAGE_HEADERS;
}
