import { randomBytes } from 'node:crypto';
import type { MissingSetting } from '../../domain/setup/form-settings.ts';
import { parseDomainRule } from '../../domain/setup/site-domain.ts';
import { siteSnippet } from '../../flows/site-snippet.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import type { ScriptPaths } from '../browser-scripts.ts';
import { invalidField } from '../invalid-field.ts';
import { kept } from '../kept.ts';
import { deletionOf, type RecordKind, recordOf } from '../managed-record.ts';

type SiteName = 'sites' | 'createSite' | 'site' | 'siteSnippet' | 'updateSite' | 'deleteSite';
type FormName = 'forms' | 'createForm' | 'form' | 'formFields' | 'updateForm' | 'deleteForm';

const SITE: RecordKind = { name: 'site', uniqueField: 'site_key' };
const FORM: RecordKind = { name: 'form of the site', uniqueField: 'form_id' };
const GENERATED_KEY_BYTES = 8;

export function siteRoutes({
  store,
  now,
  paths,
  publicUrl,
}: {
  store: Store;
  now: () => number;
  paths: ScriptPaths;
  publicUrl: string | undefined;
}): Pick<Handlers, SiteName | FormName> {
  return {
    sites: kept({ from: ['sites'] }, ({ query }) => store.sites(query)),
    createSite: async ({ body }) => {
      const site_key = body.site_key ?? generatedKey('site');
      const site = { ...body, site_key, domains: domainRules(body.domains) };
      return recordOf(await store.createSite({ site, now: now() }), SITE);
    },
    site: kept({ from: ['site'] }, async ({ params }) => recordOf(await store.site(params), SITE)),
    siteSnippet: async ({ params, query }) => {
      const origin = publicUrl ?? query.origin ?? '';
      const places = { origin, trackerPath: paths.tracker, formPath: paths.form };
      return recordOf(await siteSnippet(store, params.id, places), SITE);
    },
    updateSite: async ({ params, body }) => {
      const changes = { ...body, domains: body.domains && domainRules(body.domains) };
      return recordOf(await store.updateSite({ ...params, changes, now: now() }), SITE);
    },
    deleteSite: async ({ params }) => deletionOf(await store.deleteSite(params), SITE),

    forms: kept({ from: ['forms'] }, ({ query }) => store.forms(query)),
    createForm: async ({ body: { site_id, site_key, form_id, ...form } }) => {
      const made = await store.createForm({
        site: { id: site_id, site_key },
        form: { ...form, form_id: form_id ?? generatedKey('form') },
        now: now(),
      });
      if (made !== 'unknown-site') return recordOf(complete(made), FORM);
      throw invalidField('body', site_id == null ? 'site_key' : 'site_id', 'must be that of a site');
    },
    form: kept({ from: ['form'] }, async ({ params }) => recordOf(await store.form(params), FORM)),
    updateForm: async ({ params, body }) =>
      recordOf(complete(await store.updateForm({ ...params, changes: body })), FORM),
    formFields: async ({ params }) => recordOf(await store.formFields(params), FORM),
    deleteForm: async ({ params }) => deletionOf(await store.deleteForm(params), FORM),
  };
}

/** Refuses a choice whose required settings are missing. */
function complete<T>(saved: T): Exclude<T, Incomplete> {
  const { missing }: Partial<Incomplete> = Object(saved);
  if (missing === undefined) return saved as Exclude<T, Incomplete>;
  throw invalidField('body', missing, NEEDED_FOR[missing]);
}

type Incomplete = { missing: MissingSetting };

const NEEDED_FOR: Readonly<Record<MissingSetting, string>> = {
  redirect_url: 'is required with after_sending "address"',
  spam_check_site_key: 'is required with this spam_check',
  spam_check_secret: 'is required with this spam_check',
};

function generatedKey(start: string): string {
  return `${start}_${randomBytes(GENERATED_KEY_BYTES).toString('hex')}`;
}

/** Canonical and without duplicates. */
function domainRules(typed: readonly string[]): string[] {
  const rules = typed.map((text, i) => {
    const rule = parseDomainRule(text);
    if (rule === null) throw invalidField('body', `domains.${i}`, `must be a domain, not "${text}"`);
    return rule;
  });
  return [...new Set(rules)];
}
