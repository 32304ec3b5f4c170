import { DAY_MS } from '../lib/utc-time.ts';
import type { WebFile } from './web-files.ts';

const VALID_DAYS = 365;

/** Where to report a vulnerability of this installation (RFC 9116). */
export function securityTxt(contact: string, now: () => number): [string, WebFile] {
  return [
    '/.well-known/security.txt',
    {
      type: 'text/plain; charset=utf-8',
      headers: { 'cache-control': 'max-age=86400' },
      read: async () => `Contact: ${contact}\nExpires: ${expiry(now())}\nPreferred-Languages: en\n`,
    },
  ];
}

/** In whole days, so that the text changes only once a day. */
function expiry(now: number): string {
  return new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString();
}
