import type { Selectable } from 'kysely';
import {
  type FormSettings,
  missingSetting,
  readSettings,
  shownSettings,
  storedSettings,
  USUAL_SETTINGS,
} from '../domain/setup/form-settings.ts';
import { dateTime } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { read, write } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { FormRow, SiteRow } from './schema.ts';
import { isSharedAsOther, shareAlsoAs } from './shared-links.ts';

/**
 * The sites that may send leads, and their forms. All changes to the setup hold one lock, so checking before
 * writing is enough.
 */

export type NewSite = { site_key: string; name: string; domains: readonly string[]; enabled: boolean };
/** Missing settings get their defaults. */
export type NewForm = { form_id: string; name: string; enabled: boolean } & Changes<FormSettings>;
export type SiteName = { id?: number | null | undefined; site_key?: string | null | undefined };
/** Missing fields stay as they are. */
export type Changes<T> = { [Field in keyof T]?: T[Field] | undefined };

const FORM_COLUMNS = [
  'forms.id',
  'forms.form_id',
  'forms.site_id',
  'sites.site_key',
  'forms.name',
  'forms.enabled',
  'forms.created_at',
  'forms.after_sending',
  'forms.redirect_url',
  'forms.texts',
  'forms.field_names',
  'forms.spam_check',
  'forms.spam_check_failed',
  'forms.spam_check_site_key',
  'forms.spam_check_secret',
] as const;

export const sites = read({ shows: ['setup'] }, async ({ query }, { limit, offset }: Page) => {
  const all = query.selectFrom('sites');
  const rows = await all.selectAll().orderBy('id').limit(limit).offset(offset).execute();
  return { sites: rows.map(siteRecord), total: await countOf(all) };
});

export const site = read({ shows: ['setup'] }, async ({ query }, { id }: { id: number }) => {
  const row = await query.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirst();
  return row && siteRecord(row);
});

export const createSite = write(
  { changes: ['setup'] },
  async (db, { site, now }: { site: NewSite; now: number }) => {
    await db.dialect.lock('setup');
    if (await isKeyTaken(db, site.site_key)) return 'taken';
    if (await isSharedAsOther(db, { siteKey: site.site_key, now })) return 'shared';
    return siteRecord(await insertSite(db, site, now));
  },
);

export const updateSite = write(
  { changes: ['setup'] },
  async (db, { id, changes, now }: { id: number; changes: Changes<NewSite>; now: number }) => {
    await db.dialect.lock('setup');
    const present = await site(db, { id });
    if (present === undefined) return 'unknown';
    const { site_key = present.site_key, name = present.name } = changes;
    const { domains = present.domains, enabled = present.enabled } = changes;
    if (site_key !== present.site_key) {
      if (await isKeyTaken(db, site_key)) return 'taken';
      if (await isSharedAsOther(db, { siteKey: site_key, presentKey: present.site_key, now }))
        return 'shared';
      await shareAlsoAs(db, present.site_key, site_key);
    }
    const row = await db.query
      .updateTable('sites')
      .set({ site_key, name, domains: JSON.stringify(domains), enabled: Number(enabled) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return siteRecord(row);
  },
);

/** With its forms; false when there was none. */
export const deleteSite = write(
  { changes: ['setup'] },
  async ({ query, dialect }, { id }: { id: number }): Promise<boolean> => {
    await dialect.lock('setup');
    await query.deleteFrom('forms').where('site_id', '=', id).execute();
    const { numDeletedRows } = await query.deleteFrom('sites').where('id', '=', id).executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

export const forms = read(
  { shows: ['setup'] },
  async (db, { site_id, limit, offset }: Page & { site_id?: number | undefined }) => {
    const shown = formsWithSite(db).$if(site_id !== undefined, (select) =>
      select.where('forms.site_id', '=', site_id as number),
    );
    const rows = await shown.select(FORM_COLUMNS).orderBy('forms.id').limit(limit).offset(offset).execute();
    return { forms: rows.map(formRecord), total: await countOf(shown) };
  },
);

export const form = read({ shows: ['setup'] }, async (db, { id }: { id: number }) => {
  const row = await formRow(db, id);
  return row && formRecord(row);
});

export const createForm = write(
  { changes: ['setup'] },
  async (db, { site, form, now }: { site: SiteName; form: NewForm; now: number }) => {
    await db.dialect.lock('setup');
    const owner = await findSite(db, site);
    if (owner === undefined) return 'unknown-site';
    if (await isFormIdTaken(db, owner.id, form.form_id)) return 'taken';
    const missing = missingSetting(changedSettings(USUAL_SETTINGS, form));
    if (missing !== undefined) return { missing };
    const row = await insertForm(db, owner.id, form, now);
    return formRecord({ ...row, site_key: owner.site_key });
  },
);

export const updateForm = write(
  { changes: ['setup'] },
  async (db, { id, changes }: { id: number; changes: Changes<NewForm> }) => {
    await db.dialect.lock('setup');
    const row = await formRow(db, id);
    if (row === undefined) return 'unknown';
    const present = formRecord(row);
    const { form_id = present.form_id, name = present.name, enabled = present.enabled } = changes;
    if (form_id !== present.form_id && (await isFormIdTaken(db, present.site_id, form_id))) return 'taken';
    const settings = changedSettings(readSettings(row), changes);
    const missing = missingSetting(settings);
    if (missing !== undefined) return { missing };
    await db.query
      .updateTable('forms')
      .set({ form_id, name, enabled: Number(enabled), ...storedSettings(settings) })
      .where('id', '=', id)
      .execute();
    return { ...present, form_id, name, enabled, ...shownSettings(settings) };
  },
);

export const deleteForm = write(
  { changes: ['setup'] },
  async ({ query, dialect }, { id }: { id: number }): Promise<boolean> => {
    await dialect.lock('setup');
    const { numDeletedRows } = await query.deleteFrom('forms').where('id', '=', id).executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

/** An example, if there are no sites yet. */
export const ensureDemoSite = write(
  { changes: ['setup'] },
  async (db, { domains, now }: { domains: readonly string[]; now: number }): Promise<void> => {
    await db.dialect.lock('setup');
    const any = await db.query.selectFrom('sites').select('id').limit(1).executeTakeFirst();
    if (any !== undefined) return;
    const site = { site_key: 'demo-site', name: 'Demo site', domains, enabled: true };
    const { id } = await insertSite(db, site, now);
    await insertForm(db, id, { form_id: 'demo-form', name: 'Demo form', enabled: true }, now);
  },
);

async function isKeyTaken(db: Db, siteKey: string): Promise<boolean> {
  return (await findSite(db, { site_key: siteKey })) !== undefined;
}

async function isFormIdTaken({ query }: Db, siteId: number, formId: string): Promise<boolean> {
  const other = await query
    .selectFrom('forms')
    .select('id')
    .where('site_id', '=', siteId)
    .where('form_id', '=', formId)
    .executeTakeFirst();
  return other !== undefined;
}

/** By its number or its key; by both when both are given. */
function findSite({ query }: Db, { id, site_key }: SiteName) {
  return query
    .selectFrom('sites')
    .select(['id', 'site_key'])
    .$if(id != null, (select) => select.where('id', '=', id as number))
    .$if(site_key != null, (select) => select.where('site_key', '=', site_key as string))
    .executeTakeFirst();
}

function formRow(db: Db, id: number) {
  return formsWithSite(db).select(FORM_COLUMNS).where('forms.id', '=', id).executeTakeFirst();
}

function formsWithSite({ query }: Db) {
  return query.selectFrom('forms').innerJoin('sites', 'sites.id', 'forms.site_id');
}

function insertSite({ query }: Db, site: NewSite, now: number): Promise<Selectable<SiteRow>> {
  return query
    .insertInto('sites')
    .values({
      ...site,
      domains: JSON.stringify(site.domains),
      enabled: Number(site.enabled),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function insertForm({ query }: Db, siteId: number, form: NewForm, now: number): Promise<Selectable<FormRow>> {
  const { form_id, name, enabled } = form;
  const settings = storedSettings(changedSettings(USUAL_SETTINGS, form));
  return query
    .insertInto('forms')
    .values({ form_id, name, site_id: siteId, enabled: Number(enabled), created_at: now, ...settings })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function siteRecord(row: Selectable<SiteRow>) {
  const { id, site_key, name, enabled, created_at } = row;
  const domains = JSON.parse(row.domains) as string[];
  return { id, site_key, name, domains, enabled: enabled === 1, created_at: dateTime(created_at) };
}

function formRecord(row: Selectable<FormRow> & { site_key: string }) {
  const { id, form_id, site_id, site_key, name, enabled, created_at } = row;
  return {
    ...{ id, form_id, site_id, site_key, name, enabled: enabled === 1 },
    ...shownSettings(readSettings(row)),
    created_at: dateTime(created_at),
  };
}

function changedSettings(present: FormSettings, changes: Changes<FormSettings>): FormSettings {
  const names = Object.keys(USUAL_SETTINGS) as (keyof FormSettings)[];
  return Object.fromEntries(names.map((name) => [name, changes[name] ?? present[name]])) as FormSettings;
}
