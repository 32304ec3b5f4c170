import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';

/** Answers that a person may wait for and try again. */
const TITLES: Readonly<Record<number, string>> = {
  429: 'Please wait a moment',
  503: 'Please try again',
};

/** A browser that goes to the answer shows it as a page; scripts ask for data. */
export function prefersPage(headers: IncomingHttpHeaders): boolean {
  const isNavigation = (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';
  const isScript = headers['x-requested-with'] !== undefined || !isNavigation;
  return !isScript && (headers.accept ?? '').toLowerCase().includes('text/html');
}

/** Instead of JSON, for a form that a browser has sent without a script. */
export function asPage<A extends Answer>(answer: A): A {
  const title = TITLES[answer.status];
  if (title === undefined) return answer;
  const seconds = Number(answer.headers['retry-after'] ?? 60);
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
  const headers = {
    ...answer.headers,
    'content-type': 'text/html; charset=utf-8',
    // A form may have been sent into a frame of its site, so the page may be shown in one.
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  };
  return { ...answer, headers, body: page(title, wait) };
}

function page(title: string, wait: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
  body { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.5rem; }
</style>
<h1>${title}</h1>
<p>Your message has not been sent. Go back and send it again in ${wait}; what you have typed is still there.</p>
</html>
`;
}
