import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { SettingsChange } from '@leadtrail/contract/settings';
import { PROJECT_DIR } from '../src/lib/places.ts';
import { LEAD_OUTCOMES } from '../src/ports/metrics.ts';

/** What the documentation names is there, and has that name. */

const PAGES = globSync(['*.md', 'docs/**/*.md'], { cwd: PROJECT_DIR });
const GUIDES = PAGES.filter((page) => /^docs\/[A-Z]+\.md$/.test(page));
const read = (path: string) => readFileSync(join(PROJECT_DIR, path), 'utf8');
const found = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, part = '']) => part);

const SETTINGS_PAGES = 'packages/dashboard/src/pages/settings';

test('every setting is in a guide', () => {
  const guides = GUIDES.map(read).join('\n');
  const missing = Object.keys(SettingsChange.shape).filter((name) => !guides.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test('every outcome of a lead is where its metric is explained', () => {
  const [explained = ''] = found(/^(- Leads: `leadtrail_leads_total`.*?)^- /gms, read('docs/OPERATIONS.md'));
  assert.deepEqual(
    LEAD_OUTCOMES.filter((outcome) => !explained.includes(`\`${outcome}\``)),
    [],
  );
});

test('sections and cards of the settings are called what the dashboard calls them', () => {
  const sources = globSync('**/*.tsx', { cwd: join(PROJECT_DIR, SETTINGS_PAGES) }).map((path) =>
    read(join(SETTINGS_PAGES, path)),
  );
  const titles = new Set(found(/\btitle(?:=|: )["']([^"']+)["']/g, sources.join('\n')));
  const places = PAGES.flatMap((page) => found(/\*\*Settings → ([^*]+)\*\*/g, read(page)));
  assert.ok(places.length > 5);
  assert.deepEqual(
    places.flatMap((place) => place.split(' → ')).filter((name) => !titles.has(name)),
    [],
  );
});

test('the guide to the dashboard has all sections of the settings', () => {
  const [, chapter = ''] = read('docs/DASHBOARD.md').split('\n## Settings\n');
  const [table = ''] = chapter.split('\n## ');
  const [, ...rows] = found(/^\| (.+?) \|/gm, table);
  assert.deepEqual(rows, found(/ title: '([^']+)'/g, read(`${SETTINGS_PAGES}/sections.tsx`)));
});

test('every file that CONTRIBUTING.md names is there', () => {
  const files = globSync(['packages/*/{src,test}/**/*.{ts,tsx}', 'scripts/**/*.{ts,mjs}'], {
    cwd: PROJECT_DIR,
  });
  const named = found(/`([\w./-]+\.(?:ts|tsx|mjs))`/g, read('CONTRIBUTING.md'));
  assert.ok(named.length > 40);
  assert.deepEqual(
    named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`))),
    [],
  );
});

test('every link from one page to another leads somewhere', () => {
  const links = PAGES.flatMap((page) =>
    found(/\]\(((?!https?:)[^)\s]+)\)/g, withoutCode(read(page))).map((href) => ({ page, href })),
  );
  assert.ok(links.length > 100);
  assert.deepEqual(
    links.filter(({ page, href }) => !leadsSomewhere(page, href)),
    [],
  );
});

function leadsSomewhere(page: string, href: string): boolean {
  const [path = '', place] = href.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(PROJECT_DIR, target))) return false;
  return place === undefined || headingsOf(target).includes(place);
}

/** As GitHub makes them. */
function headingsOf(page: string): string[] {
  return found(/^#+ (.+)$/gm, withoutCode(read(page))).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '');
}
