import type { SharedLink, SharedSite } from '@leadtrail/contract/shared-links';
import type { Selectable } from 'kysely';
import { dateTime } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { primaryRead, read, write } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { SharedLinkRow } from './schema.ts';

/** Shared links: they show the figures of some sites. */

export const sharedLinks = read(
  { shows: ['setup'] },
  async (
    db,
    { limit, offset, now }: Page & { now: number },
  ): Promise<{ rows: SharedLink[]; total: number }> => {
    const all = db.query.selectFrom('shared_links');
    const rows = await all.selectAll().orderBy('id').limit(limit).offset(offset).execute();
    return { rows: await recordsOf(db, rows, now), total: await countOf(all) };
  },
);

type NewLink = { name: string; sites: readonly string[]; secretHash: string; expiresAt: number; now: number };

export const createSharedLink = write(
  { changes: ['setup'] },
  async (db, { name, sites, secretHash, expiresAt, now }: NewLink): Promise<SharedLink | 'unknown-site'> => {
    await db.dialect.lock('setup');
    const known = await siteNames(db, sites);
    if (sites.some((key) => !known.has(key))) return 'unknown-site';
    const row = await db.query
      .insertInto('shared_links')
      .values({
        name,
        sites: JSON.stringify([...new Set(sites)]),
        secret_hash: secretHash,
        created_at: now,
        expires_at: expiresAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const [record] = await recordsOf(db, [row], now);
    return record as SharedLink;
  },
);

export const deleteSharedLink = write(
  { changes: ['setup'] },
  async ({ query, dialect }, { id }: { id: number }): Promise<boolean> => {
    await dialect.lock('setup');
    const { numDeletedRows } = await query
      .deleteFrom('shared_links')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

export type KeptLink = { name: string; sites: SharedSite[]; secretHash: string; expiresAt: number };

export const sharedLink = primaryRead(async (db: Db, { id }: { id: number }): Promise<KeptLink | null> => {
  const row = await db.query.selectFrom('shared_links').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return null;
  const keys = JSON.parse(row.sites) as string[];
  return {
    name: row.name,
    sites: namedSites(keys, await siteNames(db, keys)),
    secretHash: row.secret_hash,
    expiresAt: row.expires_at,
  };
});

/**
 * Whether a link shows the figures of a former site with this key: a new one must not appear in it. A site may get back a
 * key that it had before, `presentKey` being the one it has.
 */
export async function isSharedAsOther(
  db: Db,
  { siteKey, presentKey, now }: { siteKey: string; presentKey?: string; now: number },
): Promise<boolean> {
  const links = await linksNaming(db, siteKey);
  return links.some(
    ({ keys, expires_at }) => expires_at > now && (presentKey === undefined || !keys.includes(presentKey)),
  );
}

/** Links keep the former key, because visits are stored with it. */
export async function shareAlsoAs(db: Db, formerKey: string, siteKey: string): Promise<void> {
  for (const { id, keys } of await linksNaming(db, formerKey)) {
    const sites = JSON.stringify([...new Set([...keys, siteKey])]);
    await db.query.updateTable('shared_links').set({ sites }).where('id', '=', id).execute();
  }
}

type NamingLink = { id: number; expires_at: number; keys: string[] };

async function linksNaming({ query }: Db, siteKey: string): Promise<NamingLink[]> {
  const links = await query.selectFrom('shared_links').select(['id', 'expires_at', 'sites']).execute();
  return links
    .map(({ sites, ...link }) => ({ ...link, keys: JSON.parse(sites) as string[] }))
    .filter(({ keys }) => keys.includes(siteKey));
}

async function recordsOf(
  db: Db,
  rows: readonly Selectable<SharedLinkRow>[],
  now: number,
): Promise<SharedLink[]> {
  const keysOf = ({ sites }: Selectable<SharedLinkRow>) => JSON.parse(sites) as string[];
  const names = await siteNames(db, [...new Set(rows.flatMap(keysOf))]);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    sites: namedSites(keysOf(row), names),
    created_at: dateTime(row.created_at),
    expires_at: dateTime(row.expires_at),
    is_expired: row.expires_at <= now,
  }));
}

function namedSites(keys: readonly string[], names: ReadonlyMap<string, string>): SharedSite[] {
  return keys.map((site_key) => ({ site_key, name: names.get(site_key) ?? site_key }));
}

async function siteNames({ query, dialect }: Db, keys: readonly string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const found = await query
    .selectFrom('sites')
    .select(['site_key', 'name'])
    .where('site_key', 'in', dialect.anyOf(keys))
    .execute();
  return new Map(found.map(({ site_key, name }) => [site_key, name]));
}
