import type { Selectable } from 'kysely';
import { dateTime } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { read, write } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { IntegrationRow } from './schema.ts';
import type { Changes } from './sites.ts';

/** The servers that may send leads. */

/** All that is stored of a key. */
export type KeptKey = { keyHash: string; keyPrefix: string };

const DEFAULT_NAME = 'default';

export const integrations = read({ shows: ['integrations'] }, async ({ query }, { limit, offset }: Page) => {
  const all = query.selectFrom('integrations');
  const rows = await all.selectAll().orderBy('id').limit(limit).offset(offset).execute();
  return { integrations: rows.map(integrationRecord), total: await countOf(all) };
});

export const integration = read({ shows: ['integrations'] }, async ({ query }, { id }: { id: number }) => {
  const row = await query.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirst();
  return row && integrationRecord(row);
});

export const createIntegration = write(
  { changes: ['integrations'] },
  async (db, { name, enabled, key, now }: { name: string; enabled: boolean; key: KeptKey; now: number }) => {
    await db.dialect.lock('setup');
    if (await isNameTaken(db, name)) return 'taken';
    return integrationRecord(await insertIntegration(db, { name, enabled, key, now }));
  },
);

export const updateIntegration = write(
  { changes: ['integrations'] },
  async (db, { id, changes }: { id: number; changes: Changes<{ name: string; enabled: boolean }> }) => {
    await db.dialect.lock('setup');
    const present = await integration(db, { id });
    if (present === undefined) return 'unknown';
    const { name = present.name, enabled = present.enabled } = changes;
    if (name !== present.name && (await isNameTaken(db, name))) return 'taken';
    await db.query
      .updateTable('integrations')
      .set({ name, enabled: Number(enabled) })
      .where('id', '=', id)
      .execute();
    return { ...present, name, enabled };
  },
);

/** Gives it another key; undefined when there is no such integration. */
export const rekeyIntegration = write(
  { changes: ['integrations'] },
  async ({ query, dialect }, { id, key }: { id: number; key: KeptKey }) => {
    await dialect.lock('setup');
    const row = await query
      .updateTable('integrations')
      .set({ key_hash: key.keyHash, key_prefix: key.keyPrefix })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && integrationRecord(row);
  },
);

export const deleteIntegration = write(
  { changes: ['integrations'] },
  async ({ query, dialect }, { id }: { id: number }): Promise<boolean> => {
    await dialect.lock('setup');
    const { numDeletedRows } = await query
      .deleteFrom('integrations')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

/** The integration whose key comes from the environment. Leaves it enabled or disabled as it was. */
export const upsertDefaultIntegration = write(
  { changes: ['integrations'] },
  async (db, { now, ...key }: KeptKey & { now: number }): Promise<void> => {
    await db.dialect.lock('setup');
    const { query } = db;
    const holder = await query
      .selectFrom('integrations')
      .select('id')
      .where('key_hash', '=', key.keyHash)
      .executeTakeFirst();
    // The key may have been made for another integration and copied from there: then it works already.
    if (holder !== undefined) return;
    const present = await query
      .selectFrom('integrations')
      .select('id')
      .where('name', '=', DEFAULT_NAME)
      .executeTakeFirst();
    if (present === undefined) await insertIntegration(db, { name: DEFAULT_NAME, enabled: true, key, now });
    else await rekeyIntegration(db, { id: present.id, key });
  },
);

async function isNameTaken({ query }: Db, name: string): Promise<boolean> {
  const other = await query
    .selectFrom('integrations')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst();
  return other !== undefined;
}

function insertIntegration(
  { query }: Db,
  { name, enabled, key, now }: { name: string; enabled: boolean; key: KeptKey; now: number },
): Promise<Selectable<IntegrationRow>> {
  return query
    .insertInto('integrations')
    .values({
      name,
      enabled: Number(enabled),
      key_hash: key.keyHash,
      key_prefix: key.keyPrefix,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function integrationRecord({
  id,
  name,
  enabled,
  key_prefix,
  last_used_at,
  created_at,
}: Selectable<IntegrationRow>) {
  return {
    id,
    name,
    enabled: enabled === 1,
    key_prefix,
    last_used_at: last_used_at === null ? null : dateTime(last_used_at),
    created_at: dateTime(created_at),
  };
}
