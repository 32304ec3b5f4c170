import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { onBothStores, postgresUrl, type StoreKind } from '@leadtrail/testing/service';
import { type ColumnMetadata, Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { openSqliteDatabase } from '../src/adapters/sqlite-database.ts';
import { PROJECT_DIR } from '../src/lib/places.ts';
import { migrate } from '../src/store/migrate.ts';
import { trackingTables } from '../src/store/migrations/0001-tracking.ts';
import { leadTables } from '../src/store/migrations/0002-leads.ts';

const STORE = join(PROJECT_DIR, 'packages/server/src/store');

test('a migration imports nothing that may change after its release', async () => {
  const files = globSync('migrations/**/*.ts', { cwd: STORE });
  assert.ok(files.length >= 9);
  for (const file of files) {
    const text = await readFile(join(STORE, file), 'utf8');
    const code = text.replace("import type { DialectKind } from '../dialect.ts';", '');
    const imports = [...code.matchAll(/\b(?:from|import|import\()\s*'([^']+)'/g)].map(
      ([, name = '']) => name,
    );
    assert.ok(imports.length > 0, file);
    const mayChange = imports.filter((name) => name !== 'kysely' && !name.startsWith('./'));
    assert.deepEqual(mayChange, [], file);
  }
});

onBothStores('a database from before leads had lists, after all migrations', (kind) => {
  let directory: string;
  let databaseUrl: string | undefined;
  let db: Kysely<unknown>;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
    if (kind === 'postgres') databaseUrl = await createDatabase(postgresUrl());
    db = connect(databaseUrl, directory);
    await migrateToSecondStep(db, kind);
    await insertLead(db, { contact_name: ' ΝΊΚΟΣ\nİ', contact_email: 'N@example.gr', visitor_id: 'V-1' });
    await insertLead(db, { lead_public_id: 'another', contact_phone: '0151 1', project_name: 'Riverside' });
    await migrate(db, kind);
  });
  after(async () => {
    await db?.destroy();
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await rm(directory, { recursive: true, force: true });
  });

  test('has its leads in lists and searches, and their texts still to be renewed', async () => {
    const leads = await sql`
      select lead_id, name_key, search_text from leads
      where lead_id in (select lead_id from lead_changes) and lead_id in (select lead_id from lead_renewals)
      order by lead_id
    `.execute(db);
    const texts = leads.rows.map((lead) => Object.values(lead as object).slice(1));
    assert.deepEqual(texts, [
      ['νίκοσ\ni', ' νίκοσ i\nn@example.gr\n\n\nv-1'],
      ['\u{10FFFF}', '\n\n0151 1\nriverside\n'],
    ]);
  });

  test('has the tables and columns that schema.ts declares, and no others', async () => {
    const tables = await tablesOf(db);
    assert.ok(tables.size > 40);
    const changed: [RegExp, (tables: Tables) => unknown][] = [
      [/'forms' is missing in type/, (tables) => tables.delete('forms')],
      [/'extra' is missing in type/, (tables) => tables.set('extra', new Map())],
      [/'name' is missing in type/, (tables) => tables.get('forms')?.delete('name')],
      [/'extra' is missing in type/, (tables) => tables.get('forms')?.set('extra', column('string'))],
      [/'null' is not assignable/, (tables) => tables.get('forms')?.set('name', column('string | null'))],
      [/'number' is not assignable/, (tables) => tables.get('forms')?.set('name', column('number'))],
      [/'undefined' is not assignable/, (tables) => tables.get('forms')?.set('id', column('number'))],
    ];
    const variants = changed.map(([, change]) => {
      const copy: Tables = new Map([...tables].map(([name, columns]) => [name, new Map(columns)]));
      change(copy);
      return copy;
    });

    const [complaint, ...complaints] = await complaintsAbout([tables, ...variants], directory);
    assert.equal(complaint, '');
    // The comparison itself: each of these changes is noticed.
    for (const [i, [expected]] of changed.entries()) assert.match(complaints[i] ?? '', expected);
  });

  test('has no table that docs/SCHEMA.md leaves out', async () => {
    const documented = await readFile(join(PROJECT_DIR, 'docs/SCHEMA.md'), 'utf8');
    const missing = [...(await tablesOf(db)).keys()].filter((table) => !documented.includes(`\`${table}\``));
    assert.deepEqual(missing, []);
  });
});

function connect(databaseUrl: string | undefined, directory: string): Kysely<unknown> {
  if (databaseUrl !== undefined) {
    const pool = new pg.Pool({ connectionString: databaseUrl });
    // Dropping the database ends connections that are just being closed.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new Kysely({ dialect: new PostgresDialect({ pool }) });
  }
  const file = join(directory, 'leadtrail.db');
  const { db } = openSqliteDatabase(file, { readOnly: false, cacheKiB: 1024 });
  return db.query as Kysely<unknown>;
}

async function migrateToSecondStep(db: Kysely<unknown>, kind: StoreKind): Promise<void> {
  const migrations: Record<string, Migration> = {
    '0001-tracking': { up: (connection) => trackingTables(connection, kind) },
    '0002-leads': { up: (connection) => leadTables(connection, kind) },
  };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** All other columns are empty or 0. */
async function insertLead(db: Kysely<unknown>, values: Record<string, string>): Promise<void> {
  const lead: Record<string, string | number> = {};
  for (const [column, { type, isFilledIn }] of (await tablesOf(db)).get('leads') ?? []) {
    if (!isFilledIn) lead[column] = values[column] ?? (type === 'number' ? 0 : '');
  }
  const columns = sql.join(Object.keys(lead).map((column) => sql.ref(column)));
  await sql`insert into leads (${columns}) values (${sql.join(Object.values(lead))})`.execute(db);
}

type Column = { type: string; isFilledIn: boolean };
type Tables = Map<string, Map<string, Column>>;

const TYPES: Readonly<Record<string, string>> = {
  text: 'string',
  integer: 'number',
  int4: 'number',
  bigint: 'number',
  int8: 'number',
  blob: 'Uint8Array',
  bytea: 'Uint8Array',
};

async function tablesOf(db: Kysely<unknown>): Promise<Tables> {
  const tables = await db.introspection.getTables();
  return new Map(
    tables
      // The virtual table of SQLite's full-text search and its shadow tables are used by dialect.ts alone.
      .filter(({ name }) => !name.startsWith('lead_trigrams'))
      .map(({ name, columns, isView }) => [
        name,
        new Map(
          columns.map((found) => [
            found.name,
            // A view does not say which of its columns are never null.
            columnOf({ ...found, isNullable: found.isNullable && !isView }),
          ]),
        ),
      ]),
  );
}

function columnOf({ dataType, isNullable, hasDefaultValue, isAutoIncrementing }: ColumnMetadata): Column {
  const type = TYPES[dataType.toLowerCase()] ?? `'unknown type ${dataType}'`;
  return {
    type: isNullable ? `${type} | null` : type,
    isFilledIn: isNullable || hasDefaultValue || isAutoIncrementing,
  };
}

function column(type: string): Column {
  return { type, isFilledIn: false };
}

/** Errors of the compiler when the tables of a database are assigned to those of schema.ts and vice versa. */
async function complaintsAbout(databases: readonly Tables[], directory: string): Promise<string[]> {
  const files = databases.map((_, i) => `database-${i}.mts`);
  for (const [i, tables] of databases.entries()) {
    await writeFile(join(directory, files[i] as string), comparison(tables));
  }
  const settings = {
    extends: join(PROJECT_DIR, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(PROJECT_DIR, 'node_modules/@types')] },
    files,
    include: [],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings));

  const { promise, resolve } = Promise.withResolvers<string>();
  const compiler = join(PROJECT_DIR, 'node_modules/.bin/tsc');
  execFile(compiler, ['-p', '.', '--pretty', 'false'], { cwd: directory }, (_error, output) =>
    resolve(output),
  );
  const errors = (await promise).split(/\n(?=\S)/);
  return files.map((file) => errors.filter((error) => error.startsWith(file)).join('\n'));
}

function comparison(tables: Tables): string {
  const typeOf = (isPart: (column: Column) => boolean) => {
    const rows = [...tables].map(([table, columns]) => {
      const part = [...columns].filter(([, column]) => isPart(column));
      return `${table}: { ${part.map(([name, { type }]) => `${name}: ${type}`).join('; ')} }`;
    });
    return `{ ${rows.join('; ')} }`;
  };
  return `
    import type { Insertable, Selectable } from '${join(PROJECT_DIR, 'node_modules/kysely/dist/index.js')}';
    import type { Schema } from '${join(STORE, 'schema.ts')}';
    type Plain<T> = T extends string ? string : T extends number ? number : T;
    type PlainRow<Row> = { [Column in keyof Row]: Plain<Row[Column]> };
    type Declared = { [Table in keyof Schema]: PlainRow<Selectable<Schema[Table]>> };
    type Inserted = { [Table in keyof Schema]: PlainRow<Insertable<Schema[Table]>> };
    type Found = ${typeOf(() => true)};
    type MustBeInserted = ${typeOf(({ isFilledIn }) => !isFilledIn)};
    declare const declared: Declared;
    declare const inserted: Inserted;
    declare const found: Found;
    export const values: [Found, Declared, MustBeInserted] = [declared, found, inserted];
  `;
}
