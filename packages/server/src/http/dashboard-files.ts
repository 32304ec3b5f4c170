import type { WebFile } from './web-files.ts';

/** Only what comes from here, and nothing that is written into the page itself. */
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
  // No text becomes markup or script, whichever library tries.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Of what a page may ask for, the dashboard needs full screen and the clipboard. */
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
 * For the page that recordings are played in. The player inside it is of no origin and under the same policy, which
 * it inherits: only its own script, nothing from anywhere, and nothing sent to anywhere. Styles and pictures are
 * those that the recording has brought along.
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
  // With its own origin, or the frame that the player writes into would be a stranger to it.
  'sandbox allow-scripts allow-same-origin',
].join('; ');

const REPLAY_FRAME_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': REPLAY_FRAME_POLICY,
  'x-frame-options': 'SAMEORIGIN',
  'x-dns-prefetch-control': 'off',
};

/** Their names change with their content. Any origin, because a sandboxed frame has none of its own. */
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

/** The dashboard: its files, and its one page at every address that is not one of them. */
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
