import {
  areUsual,
  type FormSettings,
  readSettings as settingsOfForm,
} from '../domain/setup/form-settings.ts';
import type { SavedSettings } from '../domain/setup/settings.ts';
import { primaryRead } from './operation.ts';
import type { IpRuleRow } from './schema.ts';
import { readSettings } from './settings.ts';

/** Everything that decides whether a lead is taken, to decide it while the store is away. */
export type SenderSnapshot = {
  /** `network` is the key of an address or range. */
  rules: Pick<IpRuleRow, 'network' | 'list' | 'usage'>[];
  sites: {
    siteKey: string;
    enabled: boolean;
    domains: string[];
    forms: Record<string, boolean>;
    /** Of forms for which something was set. Missing in files of earlier versions. */
    formSettings?: Record<string, FormSettings>;
  }[];
  /** Whether the integration with this key is enabled, by the hash of the key. */
  integrations: Record<string, boolean>;
  settings: SavedSettings;
};

/** The latest are kept: older entries of longer lists only count while the store is available. */
const RULES_MAX = 200_000;

export const senderSnapshot = primaryRead(async (db): Promise<SenderSnapshot> => {
  const { query } = db;
  const rules = await query
    .selectFrom('ip_rules')
    .select(['network', 'list', 'usage'])
    .orderBy('listed_at', 'desc')
    .limit(RULES_MAX)
    .execute();
  const sites = await query.selectFrom('sites').select(['id', 'site_key', 'enabled', 'domains']).execute();
  const forms = await query.selectFrom('forms').selectAll().execute();
  const integrations = await query.selectFrom('integrations').select(['key_hash', 'enabled']).execute();
  return {
    rules,
    sites: sites.map(({ id, site_key, enabled, domains }) => {
      const own = forms.filter((form) => form.site_id === id);
      const settings = own.map((form) => [form.form_id, settingsOfForm(form)] as const);
      return {
        siteKey: site_key,
        enabled: enabled === 1,
        domains: JSON.parse(domains),
        forms: Object.fromEntries(own.map((form) => [form.form_id, form.enabled === 1])),
        formSettings: Object.fromEntries(settings.filter(([, each]) => !areUsual(each))),
      };
    }),
    integrations: Object.fromEntries(integrations.map((each) => [each.key_hash, each.enabled === 1])),
    settings: await readSettings(db),
  };
});
