import type { AfterSending, FieldNames, FormTexts } from '@leadtrail/contract/form-settings';

/** What a form was told to do; see the contract. */
export type FormSettings = {
  after_sending: AfterSending;
  redirect_url: string;
  texts: FormTexts;
  field_names: FieldNames;
};

export const USUAL_SETTINGS: FormSettings = {
  after_sending: 'thank_you_page',
  redirect_url: '',
  texts: {},
  field_names: {},
};

type StoredSettings = Pick<FormSettings, 'after_sending' | 'redirect_url'> & {
  texts: string;
  field_names: string;
};

/** As they are stored: lists as JSON. */
export function storedSettings({ texts, field_names, ...plain }: FormSettings): StoredSettings {
  return { ...plain, texts: JSON.stringify(texts), field_names: JSON.stringify(field_names) };
}

export function readSettings(row: StoredSettings): FormSettings {
  const { after_sending, redirect_url } = row;
  return {
    after_sending,
    redirect_url,
    texts: JSON.parse(row.texts),
    field_names: JSON.parse(row.field_names),
  };
}

/** Whether there is anything to know of them when a lead arrives. */
export function areUsual({ after_sending, texts, field_names }: FormSettings): boolean {
  return after_sending === 'thank_you_page' && isEmpty(texts) && isEmpty(field_names);
}

/** `address` needs one. */
export function lacksAddress({ after_sending, redirect_url }: FormSettings): boolean {
  return after_sending === 'address' && redirect_url === '';
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
