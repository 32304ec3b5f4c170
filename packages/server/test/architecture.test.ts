import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** Arrows only point down: main → app → http, jobs → flows → store, ports → domain → lib, contract. */

const SERVER = join(PROJECT_DIR, 'packages/server/src');
const CONTRACT = join(PROJECT_DIR, 'packages/contract/src');

/** What each part may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['app', 'config', 'lib'],
  app: ['adapters', 'config', 'http', 'jobs', 'flows', 'store', 'ports', 'domain', 'lib', 'contract'],
  http: ['flows', 'store', 'ports', 'domain', 'lib', 'contract'],
  jobs: ['flows', 'store', 'ports', 'domain', 'lib', 'contract'],
  flows: ['store', 'ports', 'domain', 'lib', 'contract'],
  store: ['domain', 'lib', 'contract'],
  ports: ['domain', 'lib', 'contract'],
  domain: ['lib', 'contract'],
  lib: ['contract'],
  contract: [],
  // Adapters stand beside the layers: they implement ports and the store for app.ts.
  adapters: ['config', 'store', 'ports', 'domain', 'lib', 'contract'],
  config: ['domain', 'lib'],
};

type SourceFile = { path: string; part: string; text: string; code: string };

function sourceFiles(dir: string, partOf: (path: string) => string): SourceFile[] {
  return globSync('**/*.ts', { cwd: dir }).map((path) => {
    const text = readFileSync(join(dir, path), 'utf8');
    return { path: join(dir, path), part: partOf(path), text, code: withoutComments(text) };
  });
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

/** A file at the top is a part by itself, a folder is one part. */
function serverPart(path: string): string {
  const [first = ''] = path.split(sep);
  return first.replace(/\.ts$/, '');
}

const FILES = [...sourceFiles(SERVER, serverPart), ...sourceFiles(CONTRACT, () => 'contract')];

/** Everything a file names as another file: imports, exports from, dynamic imports. Threads run files of `adapters/`. */
function importsOf({ code }: SourceFile): string[] {
  const patterns = [/\bfrom\s+'([^']+)'/g, /\bimport\s+'([^']+)'/g, /\bimport\(\s*'([^']+)'/g];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] as string));
}

function partOfImport(file: SourceFile, specifier: string): string | undefined {
  if (specifier.startsWith('@leadtrail/contract/')) return 'contract';
  if (!specifier.startsWith('.')) return undefined;
  const target = join(dirname(file.path), specifier);
  return target.startsWith(CONTRACT + sep) ? 'contract' : serverPart(relative(SERVER, target));
}

test('every file belongs to a known part', () => {
  assert.ok(FILES.length > 40);
  for (const { path, part } of FILES) assert.ok(part in MAY_IMPORT, `${path} belongs to no part`);
});

test('imports point in one direction: main → app → http, jobs → flows → store, ports → domain → lib, contract', () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const file of FILES) {
    for (const specifier of importsOf(file)) {
      const part = partOfImport(file, specifier);
      if (part === undefined) continue;
      seen += 1;
      const allowed = part === file.part || MAY_IMPORT[file.part]?.includes(part);
      if (!allowed) wrong.push(`${relative(PROJECT_DIR, file.path)} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 100);
});

test('adapters are imported by app.ts and by other adapters only', () => {
  const importers = FILES.filter((file) =>
    importsOf(file).some((specifier) => partOfImport(file, specifier) === 'adapters'),
  );
  assert.deepEqual([...new Set(importers.map((file) => file.part))].sort(), ['adapters', 'app']);
});

test('only config.ts knows the environment; main.ts hands it over', () => {
  const readers = FILES.filter(({ code }) =>
    /\bprocess\s*\.\s*env\b|\benv\b.*from 'node:process'/.test(code),
  );
  assert.deepEqual(
    readers.map(({ path }) => relative(SERVER, path)),
    ['main.ts'],
  );
  const uses = readers[0]?.code.match(/process\.env\b/g) ?? [];
  assert.equal(uses.length, 1);
  assert.match(readers[0]?.code ?? '', /readConfig\(process\.env\)/);
});

test('the domain, lib and the contract do no I/O', () => {
  // For hashes, checksums and paths, which need nothing from outside.
  const allowed = new Set(['node:crypto', 'node:path', 'node:zlib']);
  for (const file of FILES.filter(({ part }) => ['domain', 'lib', 'contract'].includes(part))) {
    const builtIns = importsOf(file).filter((specifier) => specifier.startsWith('node:'));
    assert.deepEqual(
      builtIns.filter((specifier) => !allowed.has(specifier)),
      [],
      file.path,
    );
    assert.doesNotMatch(file.code, /\bDate\.now\(\)|\bnew Date\(\)|\bMath\.random\(\)/, file.path);
  }
});

test('the contract is the leaf: it imports zod and itself', () => {
  const imported = FILES.filter(({ part }) => part === 'contract').flatMap(importsOf);
  assert.deepEqual([...new Set(imported.filter((specifier) => !specifier.startsWith('./')))], ['zod']);
});

test('the store, the domain and lib load no schemas: each of the threads would keep them in memory', () => {
  const schemas = new Set(
    FILES.filter(({ part, code }) => part === 'contract' && /^import (?!type\b)/m.test(code)).map(
      ({ path }) => `@leadtrail/contract/${basename(path, '.ts')}`,
    ),
  );
  assert.ok(schemas.has('@leadtrail/contract/leads') && !schemas.has('@leadtrail/contract/limits'));
  const loading = FILES.filter(({ part }) => ['store', 'domain', 'lib'].includes(part)).flatMap(
    ({ path, code }) =>
      [...code.matchAll(/^import (?!type\b)[^;]*? from '(@leadtrail[^']+)'/gm)]
        .filter(([, specifier]) => schemas.has(specifier as string))
        .map(([, specifier]) => `${relative(PROJECT_DIR, path)} imports ${specifier}`),
  );
  assert.deepEqual(loading, []);
});

test('there are no default exports, enums, barrels or namespaces', () => {
  for (const { path, code } of FILES) {
    assert.doesNotMatch(code, /^export default\b|\bas default\b/m, path);
    assert.doesNotMatch(code, /^(export )?(const )?enum\b|^(export )?namespace\b/m, path);
    assert.doesNotMatch(code, /^export (\*|\{[^}]*\}) from\b/m, path);
  }
});
