import { escapeHtml } from '../lib/html-text.ts';

/** A page for people whose browser sent a form without a script. */

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // No `frame-ancestors`: the form may have targeted a frame of its site, which shows this page.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
};

export function textPage({
  language,
  title,
  text,
}: {
  language: string;
  title: string;
  text: string;
}): string {
  return `<!doctype html>
<html lang="${language}" dir="auto">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
  body { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.5rem; white-space: pre-line; }
</style>
<h1>${escapeHtml(title)}</h1>
${text === '' ? '' : `<p>${escapeHtml(text)}</p>\n`}</html>
`;
}
