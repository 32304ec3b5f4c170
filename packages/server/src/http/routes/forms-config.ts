import { formTexts } from '../../domain/setup/form-texts.ts';
import { CAMPAIGN_PARAMS } from '../../domain/tracking/campaign-params.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import { AppError } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';

const HONEYPOT_FIELD = '__pg_hp';
const TIME_FIELD = '__pg_tts';
const CAMPAIGN_FIELDS = CAMPAIGN_PARAMS.map((param) => `__${param}`);

export function formsConfigRoutes({
  store,
  settings,
  publicUrl = '',
}: {
  store: Store;
  settings: AppSettings;
  publicUrl: string | undefined;
}): Pick<Handlers, 'formsConfig'> {
  return {
    formsConfig: async ({ query: { siteKey, formId, lang = '' } }) => {
      const form = await store.formConfig({ siteKey, formId });
      if (form === undefined) throw new AppError('not_found', 'There is no such form.');
      const { replaySampleRate } = await settings.current();
      return {
        site_key: siteKey,
        form_id: formId,
        enabled: form.enabled,
        capture_url: `${publicUrl}/lead.capture`,
        honeypot_field: HONEYPOT_FIELD,
        time_field: TIME_FIELD,
        campaign_params: CAMPAIGN_FIELDS,
        after_sending: form.after_sending,
        texts: formTexts(lang, form.texts),
        options: form.options,
        spam_check: form.spam_check,
        spam_check_site_key: form.spam_check_site_key,
        replay: { enabled: replaySampleRate > 0, sample_rate: replaySampleRate },
      };
    },
  };
}
