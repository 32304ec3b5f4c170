import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** What architecture.test.ts leaves open: circles in every package, and the folders of the dashboard. */

const PACKAGES = ['contract', 'server', 'tracker', 'dashboard'];
const DASHBOARD = 'packages/dashboard/src';

const FILES = PACKAGES.flatMap((name) =>
  globSync('**/*.{ts,tsx}', { cwd: join(PROJECT_DIR, 'packages', name, 'src') }).map((path) =>
    join('packages', name, 'src', path),
  ),
);
const IMPORTS = new Map(FILES.map((path) => [path, importsOf(path)]));

/** Type-only imports count: a circle of types is as hard to take apart. */
function importsOf(path: string): string[] {
  const code = readFileSync(join(PROJECT_DIR, path), 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  const specifiers = [...code.matchAll(/\b(?:from\s+|import\s+|import\(\s*)'([^']+)'/g)].map(
    ([, specifier]) => specifier as string,
  );
  return specifiers.map((specifier) => targetOf(path, specifier)).filter((target) => target !== undefined);
}

function targetOf(path: string, specifier: string): string | undefined {
  const contract = specifier.match(/^@leadtrail\/contract\/(.+)$/)?.[1];
  if (contract !== undefined) return `packages/contract/src/${contract}.ts`;
  return /^\.\.?\/.*\.tsx?$/.test(specifier) ? join(dirname(path), specifier) : undefined;
}

test('every import leads to a file', () => {
  assert.ok(FILES.length > 400, `only ${FILES.length} files were found`);
  const targets = [...new Set([...IMPORTS.values()].flat())];
  assert.deepEqual(
    targets.filter((target) => !existsSync(join(PROJECT_DIR, target))),
    [],
  );
});

test('no import leads back to the file it is in, type-only imports included', () => {
  assert.deepEqual(circlesIn(IMPORTS), []);
});

test('a circle is found, however long it is', () => {
  const circle = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', []],
    ['d', ['a']],
  ]);
  assert.deepEqual(circlesIn(circle), ['a → b → d → a']);
});

test('in the dashboard pages import no other page, and ui imports neither pages nor api', () => {
  const wrong = dashboardImports().filter(
    ({ from, to }) =>
      (to.folder === 'pages' && from.folder === 'pages' && to.page !== from.page) ||
      (to.folder === 'pages' && !['pages', 'router.tsx', 'shared-router.ts'].includes(from.folder)) ||
      (to.folder === 'api' && from.folder === 'ui'),
  );
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from.path} imports ${to.path}`),
    [],
  );
});

test('in the dashboard shared code imports pieces, and pieces import no shared code', () => {
  const PIECES = ['api', 'charts', 'ui', 'replay-frame', 'format.ts', 'theme.ts'];
  const wrong = dashboardImports().filter(
    ({ from, to }) => to.folder === 'shared' && PIECES.includes(from.folder),
  );
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from.path} imports ${to.path}`),
    [],
  );
});

type Place = { path: string; folder: string; page: string | undefined };

function dashboardImports(): { from: Place; to: Place }[] {
  const placeOf = (file: string): Place => {
    const path = relative(DASHBOARD, file);
    const [folder = '', page] = path.split('/');
    return { path, folder, page };
  };
  const files = FILES.filter((path) => path.startsWith(`${DASHBOARD}/`));
  assert.ok(files.length > 150);
  return files.flatMap((file) =>
    (IMPORTS.get(file) ?? [])
      .filter((target) => target.startsWith(`${DASHBOARD}/`))
      .map((target) => ({ from: placeOf(file), to: placeOf(target) })),
  );
}

/** Depth-first search; every circle is named once, by the first import that closes it. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]) => {
    const start = trail.indexOf(file);
    if (start !== -1) circles.push([...trail.slice(start), file].join(' → '));
    if (start !== -1 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}
