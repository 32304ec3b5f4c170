import type {
  AfterSending,
  FieldNames,
  FormTexts,
  SpamCheck,
  SpamCheckFailed,
} from '@leadtrail/contract/form-settings';

/** Settings of a form; see the contract. */
export type FormSettings = {
  after_sending: AfterSending;
  redirect_url: string;
  texts: FormTexts;
  field_names: FieldNames;
  spam_check: SpamCheck;
  spam_check_failed: SpamCheckFailed;
  spam_check_site_key: string;
  /** Never shown. */
  spam_check_secret: string;
};

export const USUAL_SETTINGS: FormSettings = {
  after_sending: 'thank_you_page',
  redirect_url: '',
  texts: {},
  field_names: {},
  spam_check: 'none',
  spam_check_failed: 'suspicion',
  spam_check_site_key: '',
  spam_check_secret: '',
};

type StoredSettings = Omit<FormSettings, 'texts' | 'field_names'> & { texts: string; field_names: string };

/** As stored: records as JSON. */
export function storedSettings({ texts, field_names, ...plain }: FormSettings): StoredSettings {
  return { ...plain, texts: JSON.stringify(texts), field_names: JSON.stringify(field_names) };
}

export function readSettings(row: StoredSettings): FormSettings {
  return {
    after_sending: row.after_sending,
    redirect_url: row.redirect_url,
    texts: JSON.parse(row.texts),
    field_names: JSON.parse(row.field_names),
    spam_check: row.spam_check,
    spam_check_failed: row.spam_check_failed,
    spam_check_site_key: row.spam_check_site_key,
    spam_check_secret: row.spam_check_secret,
  };
}

/** For the API. */
export function shownSettings({ spam_check_secret, ...shown }: FormSettings) {
  return { ...shown, spam_check_secret_set: spam_check_secret !== '' };
}

/** Whether they change nothing about how a lead is received. */
export function areUsual({ after_sending, texts, field_names, spam_check }: FormSettings): boolean {
  return (
    after_sending === 'thank_you_page' && isEmpty(texts) && isEmpty(field_names) && spam_check === 'none'
  );
}

/** The empty setting that a choice requires; undefined: none. */
export function missingSetting(settings: FormSettings): MissingSetting | undefined {
  const { after_sending, redirect_url, spam_check, spam_check_site_key, spam_check_secret } = settings;
  if (after_sending === 'address' && redirect_url === '') return 'redirect_url';
  if (spam_check !== 'turnstile' && spam_check !== 'hcaptcha') return undefined;
  if (spam_check_site_key === '') return 'spam_check_site_key';
  return spam_check_secret === '' ? 'spam_check_secret' : undefined;
}

export type MissingSetting = 'redirect_url' | 'spam_check_site_key' | 'spam_check_secret';

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
