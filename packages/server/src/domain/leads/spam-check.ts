import { hash } from 'node:crypto';
import type { SpamCheckProvider } from '@leadtrail/contract/form-settings';
import type { FormSettings } from '../setup/form-settings.ts';
import type { Enquiry } from './enquiry.ts';
import type { FormRecord } from './form-fields.ts';
import { repeatableId } from './submission-id.ts';
import type { SpamCheckOutcome } from './suspicion.ts';

/** The spam check that is set for a form: proof of work, or a provider's captcha. */

/** About a tenth of a second of work on a laptop, half a second on a phone. The form script has the same number. */
const PROOF_BITS = 16;

/**
 * Proof of work as in hashcash: the form script has searched for a submission id whose hash begins with zero
 * bits. Needs no state against replays, because an id counts once and expires.
 */
export function hasProof(enquiry: Enquiry): boolean {
  const { submissionId, siteKey, formId } = enquiry.form;
  if (repeatableId(enquiry) === null) return false;
  const digest = hash('sha256', `${siteKey}:${formId}:${submissionId}`, 'buffer');
  return Math.clz32(digest.readUInt32BE()) >= PROOF_BITS;
}

/** Fields that the widgets add: the token, and its copy for scripts made for reCAPTCHA. */
const TOKEN_FIELDS: Readonly<Record<SpamCheckProvider, readonly [string, ...string[]]>> = {
  turnstile: ['cf-turnstile-response', 'g-recaptcha-response'],
  hcaptcha: ['h-captcha-response', 'g-recaptcha-response'],
};
/** Longer than any provider's. */
const TOKEN_CHARS_MAX = 16 * 1024;

/** Takes the provider's token out of a form, so that it is not stored. Null: no provider is set. */
export function takeToken(
  record: FormRecord,
  settings: FormSettings | undefined,
): { record: FormRecord; token: string | null } {
  const provider = providerOf(settings);
  if (provider === null) return { record, token: null };
  // A page with two widgets sends the field twice.
  const sent: unknown = [record[TOKEN_FIELDS[provider][0]]].flat().find(Boolean);
  const others = Object.entries(record).filter(([name]) => !TOKEN_FIELDS[provider].includes(name));
  const token = typeof sent === 'string' && sent.length <= TOKEN_CHARS_MAX ? sent.trim() : '';
  return { record: Object.fromEntries(others), token };
}

export function providerOf(settings: FormSettings | undefined): SpamCheckProvider | null {
  const { spam_check = 'none' } = settings ?? {};
  return spam_check === 'turnstile' || spam_check === 'hcaptcha' ? spam_check : null;
}

export function outcomeOf(hasPassed: boolean, { spam_check_failed }: FormSettings): SpamCheckOutcome {
  if (hasPassed) return 'passed';
  return spam_check_failed === 'refuse' ? 'refused' : 'failed';
}
