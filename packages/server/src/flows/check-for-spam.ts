import type { Enquiry } from '../domain/leads/enquiry.ts';
import { hasProof, outcomeOf, providerOf } from '../domain/leads/spam-check.ts';
import type { SpamCheckOutcome } from '../domain/leads/suspicion.ts';
import type { FormSettings } from '../domain/setup/form-settings.ts';
import type { Captcha } from '../ports/captcha.ts';
import type { Log } from '../ports/log.ts';
import type { KnownSenders } from './known-senders.ts';

/**
 * Runs the spam check of the form. Undefined: the form has none, or the result would not matter, because the
 * sender is blocked, testing, refused anyway or a server with a key. The outcome stays with the enquiry, even
 * while it waits for the store.
 */
export async function checkForSpam(
  { captcha, senders, log }: { captcha: Captcha; senders: KnownSenders; log: Log },
  enquiry: Enquiry,
  settings: FormSettings,
  token: string | null,
): Promise<SpamCheckOutcome | undefined> {
  // Missing in settings kept by an earlier version.
  if ((settings.spam_check ?? 'none') === 'none') return undefined;
  if (enquiry.keyHash !== null || senders.decide(enquiry)?.kind !== 'accepted') return undefined;
  const provider = providerOf(settings);
  if (provider === null) return outcomeOf(hasProof(enquiry), settings);
  if (!token) return outcomeOf(false, settings);
  const { spam_check_site_key: siteKey, spam_check_secret: secret } = settings;
  // Secrets are not kept on disk: after a start without the store there is none.
  if (!secret) return 'unavailable';
  const answer = await captcha.verify({ provider, siteKey, secret, token, ip: enquiry.callerIp });
  if (answer.result !== 'unavailable') return outcomeOf(answer.result === 'passed', settings);
  log.warn('spam check not available', { provider, reason: answer.reason });
  return 'unavailable';
}
