import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GUIDES, type Guide } from '@leadtrail/contract/guides';
import { escapeHtml } from '../../lib/html-text.ts';
import { PROJECT_DIR } from '../../lib/places.ts';
import { DOCS_STYLE } from './docs-style.ts';

/** The guides in `docs/` as pages of the service, so that its users need not have the sources. */

const DOCS = join(PROJECT_DIR, 'docs');
const FILE = /^([A-Z]+)\.md(#.*)?$/;

/** No scripts, and nothing is loaded. */
export const GUIDE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export async function guidePage(guide: Guide): Promise<string> {
  // Imported lazily: most processes never serve a guide.
  const { Marked } = await import('marked');
  const text = await readFile(join(DOCS, `${guide.toUpperCase()}.md`), 'utf8');
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: title }) {
        return `<h${depth} id="${headingId(title)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens, text: shown }) {
        // Links between guides show the title, not the file name.
        const inner = FILE.test(shown) ? titleOf(shown) : this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      table({ header, rows }) {
        const cells = (kind: 'th' | 'td', row: typeof header) =>
          `<tr>${row.map(({ tokens }) => `<${kind}>${this.parser.parseInline(tokens)}</${kind}>`).join('')}</tr>`;
        const body = rows.map((row) => cells('td', row)).join('\n');
        // Scrolls horizontally on phones.
        return `<div class="table" tabindex="0"><table><thead>${cells('th', header)}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(GUIDES[guide].title)} · Leadtrail</title>
<style>${DOCS_STYLE}</style>
<main class="guide">
${guideLinks(guide)}
${await marked.parse(text)}</main>
</html>`;
}

/** Links to all guides, with their readers. */
export function guideLinks(current?: Guide): string {
  const links = Object.entries(GUIDES).map(([name, { title, reader }]) => {
    const link =
      name === current
        ? `<b aria-current="page">${escapeHtml(title)}</b>`
        : `<a href="/docs/${name}">${escapeHtml(title)}</a>`;
    return `<li>${link} <span>${escapeHtml(reader)}</span></li>`;
  });
  const api = current === undefined ? '<b aria-current="page">API</b>' : '<a href="/docs">API</a>';
  return `<nav class="guides" aria-label="Documentation"><ul>${links.join('')}<li>${api} <span>every endpoint, for programs</span></li></ul></nav>`;
}

/** Undefined: the link leads to a source file, which the service does not serve. */
function addressOf(href: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [, , place = ''] = FILE.exec(href) ?? [];
  const guide = guideOf(href);
  return guide === undefined ? undefined : `/docs/${guide}${place}`;
}

function titleOf(file: string): string {
  const guide = guideOf(file);
  return escapeHtml(guide === undefined ? file : GUIDES[guide].title);
}

function guideOf(file: string): Guide | undefined {
  const name = FILE.exec(file)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(GUIDES, name) ? (name as Guide) : undefined;
}

/** The anchor format that links in the guides use. */
function headingId(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
