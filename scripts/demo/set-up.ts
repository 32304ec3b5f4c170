import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import { keyHash, keyPrefix } from '../../packages/server/src/domain/setup/integration-key.ts';
import { DAY_MS } from '../../packages/server/src/lib/utc-time.ts';
import type { Store } from '../../packages/server/src/store/store.ts';
import { DAYS } from './calendar.ts';
import { CHANNELS, CLIENTS } from './clients.ts';
import { BLOCKED, INTEGRATIONS, OFFICE } from './enquiries.ts';
import { COUNTRIES } from './people.ts';

/** Sites, forms, integrations and settings of the agency. */
export async function setUp(store: Store, now: number): Promise<void> {
  const then = now - (DAYS + 3) * DAY_MS;
  await setUpSites(store, then);
  for (const { name, key, enabled } of INTEGRATIONS)
    await store.createIntegration({
      name,
      enabled,
      key: { keyHash: keyHash(key), keyPrefix: keyPrefix(key) },
      now: then,
    });
  await setUpIpLists(store, then);
  await setUpOptions(store);
  await store.saveSettings({
    internal_teams: ['Pune sales', 'Dubai sales'],
    lead_drought_hours: 12,
    replay_sample_rate: 0.1,
  });
}

async function setUpSites(store: Store, now: number): Promise<void> {
  for (const { siteKey, siteName, domain, forms } of CLIENTS) {
    const domains = [domain.replace(/^www\./, '')];
    await store.createSite({ site: { site_key: siteKey, name: siteName, domains, enabled: true }, now });
    for (const { id, name } of forms)
      await store.createForm({
        site: { site_key: siteKey },
        form: { form_id: id, name, enabled: true },
        now,
      });
  }
  const ended = {
    site_key: 'winter-fair',
    name: 'Winter fair (ended)',
    domains: ['winter-fair.example'],
    enabled: false,
  };
  await store.createSite({ site: ended, now });
}

async function setUpIpLists(store: Store, now: number): Promise<void> {
  const rule = { reason: '', country: '', referer: '', note: '', usage: 'internal' } as const;
  for (const [i, [ip, reason, country]] of BLOCKED.entries())
    await store.addIpRule({ ...rule, ip, list: 'blocked', listed_at: now + i * DAY_MS, reason, country });
  const welcome = { ...rule, list: 'whitelisted' } as const;
  await store.addIpRule({ ...welcome, ip: OFFICE.ip, listed_at: now, note: OFFICE.note, usage: 'test' });
  await store.addIpRule({
    ...welcome,
    ip: '203.0.113.24',
    listed_at: now + DAY_MS,
    note: 'Sales office, all behind one address',
  });
}

async function setUpOptions(store: Store): Promise<void> {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  const sources = [...new Set(CHANNELS.map(({ leadSource }) => leadSource))];
  const options: Record<OptionKind, [value: string, label: string][]> = {
    source: sources.map((source) => [source, SOURCE_LABELS[source] ?? source]),
    country: COUNTRIES.map(({ code }) => [code, names.of(code) ?? code]),
    project: CLIENTS.map(({ project }) => [project, project]),
    city: CLIENTS.map(({ location }) => [location, location]),
  };
  for (const [kind, entries] of Object.entries(options))
    for (const [i, [value, label]] of entries.entries())
      await store.createDropdownOption({ kind: kind as OptionKind, value, label, sort_order: i + 1 });
}

const SOURCE_LABELS: Readonly<Record<string, string>> = {
  WebSite: 'Website',
  FB: 'Facebook',
  Google: 'Google Ads',
  Bing: 'Microsoft Ads',
};
