import { CAMPAIGN_PARAMS } from '../campaign.ts';
import { root } from '../script-tag.ts';

/** The properties of a form's configuration that the script uses. */
export type FormConfig = {
  capture_url?: string;
  honeypot_field: string;
  time_field: string;
  campaign_params: string[];
  after_sending?: 'thank_you_page' | 'address' | 'text';
  texts: Partial<Record<FormText, string>>;
  options: Record<string, { value: string; label: string }[]>;
  spam_check?: 'none' | 'proof_of_work' | 'turnstile' | 'hcaptcha';
  spam_check_site_key?: string;
};

export type FormText =
  | 'sending'
  | 'success'
  | 'error'
  | 'offline'
  | 'kept'
  | 'invalid'
  | 'refused'
  | 'too_large';

/** Used until the service has answered, and if it does not. */
export const DEFAULT_CONFIG: FormConfig = {
  honeypot_field: '__pg_hp',
  time_field: '__pg_tts',
  campaign_params: CAMPAIGN_PARAMS.map((param) => `__${param}`),
  texts: {},
  options: {},
};

const asked: Record<string, Promise<FormConfig>> = {};

/** One request per form, however often the form is on the page. English texts are built in. */
export function readConfig(siteKey: string, formId: string, lang: string): Promise<FormConfig> {
  const query = new URLSearchParams({ siteKey, formId, ...(/^(en|$)/i.test(lang) ? {} : { lang }) });
  asked[`${query}`] ??= ask(`${root}forms/config?${query}`);
  return asked[`${query}`] as Promise<FormConfig>;
}

async function ask(address: string): Promise<FormConfig> {
  try {
    const response = await fetch(address, { credentials: 'omit' });
    return response.ok ? { ...DEFAULT_CONFIG, ...(await response.json()) } : DEFAULT_CONFIG;
  } catch {
    return DEFAULT_CONFIG;
  }
}
