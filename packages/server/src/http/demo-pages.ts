import type { WebFile } from './web-files.ts';

/** Only files of the service, and no inline scripts or styles. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = { 'cache-control': 'no-cache', 'referrer-policy': 'strict-origin-when-cross-origin' };

/** The demo landing page, on which newcomers can try everything. */
export function demoPages(source: (name: string) => () => Promise<string>): [string, WebFile][] {
  const page = (name: string): WebFile => ({
    type: 'text/html; charset=utf-8',
    headers: { ...HEADERS, 'content-security-policy': PAGE_POLICY },
    read: source(name),
  });
  const landing = page('index.html');
  return [
    ['/demo', landing],
    ['/demo/', landing],
    ['/demo/thank-you.html', page('thank-you.html')],
    ['/demo/style.css', { type: 'text/css; charset=utf-8', headers: HEADERS, read: source('style.css') }],
  ];
}
