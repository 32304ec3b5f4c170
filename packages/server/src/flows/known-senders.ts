import { decideCapture, type SenderFacts } from '../domain/leads/decide-capture.ts';
import type { Enquiry } from '../domain/leads/enquiry.ts';
import type { FormSettings } from '../domain/setup/form-settings.ts';
import {
  type SavedSettings,
  type SettingDefaults,
  type Settings,
  settingsOf,
} from '../domain/setup/settings.ts';
import { isAllowedOrigin } from '../domain/setup/site-domain.ts';
import { reasonOf } from '../lib/errors.ts';
import { networksContaining } from '../lib/ip-network.ts';
import type { Log } from '../ports/log.ts';
import type { SenderSnapshot } from '../store/sender-snapshot.ts';
import type { Store } from '../store/store.ts';

/** Sites, keys and lists as last read, kept on disk to decide about leads while the store is away. */
export type KnownSenders = {
  /** False until the store was first read. */
  areKnown(): boolean;
  /** Undefined: nothing is known yet. */
  decide(enquiry: Enquiry): ReturnType<typeof decideCapture> | undefined;
  /** Whether an enabled integration has a key with this hash. */
  isKey(keyHash: string): boolean;
  isSiteOrigin(origin: string): boolean;
  isWhitelisted(ip: string): boolean;
  /** Undefined: the form has no settings. */
  formSettings(siteKey: string, formId: string): FormSettings | undefined;
  /** Whether any form has settings. */
  hasFormSettings(): boolean;
  /** Without secrets. */
  settings(): Settings | undefined;
  /** Reads from the store; keeps the last snapshot if that fails. */
  refresh(): Promise<void>;
};

type Kept = { read(): Promise<SenderSnapshot | undefined>; write(snapshot: SenderSnapshot): Promise<void> };

export async function openKnownSenders(parts: {
  store: Store;
  file: Kept;
  defaults: SettingDefaults;
  log: Log;
}): Promise<KnownSenders> {
  const { store, file, defaults, log } = parts;
  let known: Known | undefined;
  let written = '';
  let reading: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  learn(await file.read());

  function learn(snapshot: SenderSnapshot | undefined): void {
    if (snapshot === undefined) return;
    known = {
      ...snapshot,
      ruleOf: new Map(snapshot.rules.map(({ network, list, usage }) => [network, { list, usage }])),
      siteOf: new Map(snapshot.sites.map((site) => [site.siteKey, site])),
      hasFormSettings: snapshot.sites.some(({ formSettings = {} }) => Object.keys(formSettings).length > 0),
    };
  }

  async function read(): Promise<void> {
    try {
      const { settings, ...snapshot } = await store.senderSnapshot();
      const read = { ...snapshot, settings: withoutSecrets(settings) };
      learn(read);
      const kept = { ...read, sites: read.sites.map(withoutFormSecrets) };
      const text = JSON.stringify(kept);
      if (text !== written) await file.write(kept);
      written = text;
    } catch (error) {
      log.debug('senders not read', { reason: reasonOf(error) });
    }
  }

  function start(): Promise<void> {
    reading = read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    areKnown: () => known !== undefined,
    decide: (enquiry) => (known === undefined ? undefined : decideCapture(enquiry, factsOf(known, enquiry))),
    isKey: (keyHash) => known?.integrations[keyHash] ?? false,
    isSiteOrigin: (origin) =>
      known?.sites.some(({ enabled, domains }) => enabled && isAllowedOrigin(origin, domains)) ?? true,
    isWhitelisted: (ip) => known !== undefined && narrowestRule(known.ruleOf, ip)?.list === 'whitelisted',
    formSettings(siteKey, formId) {
      const { formSettings = {} } = known?.siteOf.get(siteKey) ?? {};
      return Object.hasOwn(formSettings, formId) ? formSettings[formId] : undefined;
    },
    hasFormSettings: () => known?.hasFormSettings ?? false,
    settings: () => known && settingsOf(known.settings, defaults),
    refresh() {
      if (reading === undefined) return start();
      // The read under way may have missed the latest change.
      next ??= reading.then(() => {
        next = undefined;
        return start();
      });
      return next;
    },
  };
}

type Known = SenderSnapshot & {
  ruleOf: ReadonlyMap<string, NonNullable<SenderFacts['callerRule']>>;
  siteOf: ReadonlyMap<string, SenderSnapshot['sites'][number]>;
  hasFormSettings: boolean;
};

function factsOf({ ruleOf, siteOf, integrations }: Known, enquiry: Enquiry): SenderFacts {
  const { callerIp, personIp, keyHash, form } = enquiry;
  const site = siteOf.get(form.siteKey);
  const isEnabled = keyHash === null ? undefined : integrations[keyHash];
  return {
    callerRule: narrowestRule(ruleOf, callerIp),
    personRule: personIp === null ? null : narrowestRule(ruleOf, personIp),
    site: site === undefined ? null : { ...site, formEnabled: enabledForm(site, form.formId) },
    integration: isEnabled === undefined ? null : { enabled: isEnabled },
  };
}

/** Null: the site has no such form. `hasOwn`, because form ids are chosen by clients. */
function enabledForm({ forms }: SenderSnapshot['sites'][number], formId: string): boolean | null {
  return Object.hasOwn(forms, formId) ? (forms[formId] ?? null) : null;
}

function narrowestRule(ruleOf: Known['ruleOf'], ip: string): SenderFacts['callerRule'] {
  const [narrowest = null] = networksContaining(ip).flatMap((network) => ruleOf.get(network) ?? []);
  return narrowest;
}

/** Secrets of settings are only used while the store is up. */
function withoutSecrets(settings: SavedSettings): SavedSettings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !name.endsWith('_secret')));
}

/** Secrets of forms are needed during an outage as well, but only in memory. */
function withoutFormSecrets(site: SenderSnapshot['sites'][number]): SenderSnapshot['sites'][number] {
  const forms = Object.entries(site.formSettings ?? {});
  const kept = forms.map(([formId, settings]) => [formId, { ...settings, spam_check_secret: '' }]);
  return { ...site, formSettings: Object.fromEntries(kept) };
}
