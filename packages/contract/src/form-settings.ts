import { z } from 'zod';
import { FIELD_MEANINGS } from './field-meanings.ts';

/** Settings of a form: what follows after sending, its texts, what its fields mean, its spam check. */

const TEXT_CHARS_MAX = 500;
const ADDRESS_CHARS_MAX = 2048;
const FIELD_NAME_CHARS_MAX = 128;
const FIELDS_MAX = 100;
const KEY_CHARS_MAX = 256;

export const AFTER_SENDING = ['thank_you_page', 'address', 'text'] as const;
export const AfterSending = z
  .enum(AFTER_SENDING)
  .describe(
    'thank_you_page: <base>/thank-you.html; address: `redirect_url`; text: the page stays and shows `texts.success`',
  );
export type AfterSending = z.output<typeof AfterSending>;

/** Browsers take `//host` and `/\host` for another host. */
const PATH = /^\/(?![/\\])/;

export const RedirectUrl = z
  .string()
  .trim()
  .max(ADDRESS_CHARS_MAX)
  .refine((address) => address === '' || PATH.test(address) || isHttp(address), {
    message: 'must be an http or https URL, or a path that begins with /',
  })
  .describe('where `after_sending: address` leads: a URL, or a path on the site of the form');

function isHttp(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const Text = z.string().trim().max(TEXT_CHARS_MAX).optional();
export const FormTexts = z
  .strictObject({
    sending: Text.describe('on the button while the form is being sent'),
    success: Text.describe('after sending, where the page stays'),
    error: Text.describe('the service did not accept the form; it can be sent again'),
    offline: Text.describe('the browser is offline'),
    kept: Text.describe('follows `error` and `offline` where the form is kept and retried automatically'),
    invalid: Text.describe('some input was not accepted'),
    refused: Text.describe('the form cannot be sent from this page'),
    too_large: Text.describe('the form is too large'),
  })
  .meta({ id: 'FormTexts' });
export type FormTexts = z.output<typeof FormTexts>;
export const FORM_TEXT_NAMES = FormTexts.keyof().options;

export const FieldMeaning = z.enum(FIELD_MEANINGS);

export const FieldNames = z
  .record(z.string().min(1).max(FIELD_NAME_CHARS_MAX), FieldMeaning)
  .refine((names) => Object.keys(names).length <= FIELDS_MAX, {
    message: `must name at most ${FIELDS_MAX} fields`,
  })
  .describe('what fields of the form mean, by their name; custom: kept as a custom field');
export type FieldNames = z.output<typeof FieldNames>;

export const SPAM_CHECKS = ['none', 'proof_of_work', 'turnstile', 'hcaptcha'] as const;
export const SpamCheck = z
  .enum(SPAM_CHECKS)
  .describe(
    'proof_of_work: the form script computes for a moment, without a third party; turnstile (Cloudflare) and hcaptcha need keys of your own',
  );
export type SpamCheck = z.output<typeof SpamCheck>;
/** Checks by a third party. */
export type SpamCheckProvider = Extract<SpamCheck, 'turnstile' | 'hcaptcha'>;

export const SPAM_CHECK_FAILED = ['suspicion', 'refuse'] as const;
export const SpamCheckFailed = z
  .enum(SPAM_CHECK_FAILED)
  .describe('a submission that fails is accepted with a higher `suspicion_score`, or refused with 400');
export type SpamCheckFailed = z.output<typeof SpamCheckFailed>;

export const SpamCheckKey = z.string().trim().max(KEY_CHARS_MAX);
