import type { SpamCheckProvider } from '@leadtrail/contract/form-settings';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Captcha, CaptchaOutcome, CaptchaQuestion } from '../ports/captcha.ts';
import { type OutboundResult, openOutboundHttp } from './outbound-http.ts';

export type CaptchaAddresses = Readonly<Record<SpamCheckProvider, string>>;

const ADDRESSES: CaptchaAddresses = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};

/** A person is waiting for the answer to their form. */
const TIMEOUT_MS = 3 * SECOND_MS;
const CONNECTIONS_PER_HOST_MAX = 32;
const ANSWER_BYTES_MAX = 16 * 1024;
/** Our configuration is wrong, so the sender must not be refused for it. */
const WRONG_SECRETS: readonly unknown[] = ['missing-input-secret', 'invalid-input-secret'];

export function openHttpCaptcha(addresses: CaptchaAddresses = ADDRESSES): Captcha {
  const outbound = openOutboundHttp({
    connectionsPerHostMax: CONNECTIONS_PER_HOST_MAX,
    answerBytesMax: ANSWER_BYTES_MAX,
    timeoutMs: TIMEOUT_MS,
  });
  return {
    async verify(asked) {
      const result = await outbound.send({
        method: 'POST',
        url: new URL(addresses[asked.provider]),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Leadtrail' },
        body: questionOf(asked),
        policy: 'trusted',
        // Includes the wait for a free connection.
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return outcomeOf(result);
    },
    close: outbound.close,
  };
}

function questionOf({ provider, siteKey, secret, token, ip }: CaptchaQuestion): string {
  const question = new URLSearchParams({ secret, response: token, remoteip: ip });
  // Without it, a token for another site of the same account would pass.
  if (provider === 'hcaptcha') question.set('sitekey', siteKey);
  return question.toString();
}

function outcomeOf({ status, failure, body }: OutboundResult): CaptchaOutcome {
  if (failure !== null) return { result: 'unavailable', reason: failure.reason };
  const answer = answerOf(body);
  if (answer === undefined) return { result: 'unavailable', reason: `status ${status}` };
  if (answer.success) return { result: 'passed' };
  const isOurs = answer.errors.some((code) => WRONG_SECRETS.includes(code));
  return isOurs ? { result: 'unavailable', reason: 'the secret is wrong' } : { result: 'failed' };
}

/** Providers answer invalid requests with JSON as well, whatever the status. */
function answerOf(body: Buffer): { success: boolean; errors: readonly unknown[] } | undefined {
  try {
    const { success, 'error-codes': errors } = Object(JSON.parse(body.toString()));
    if (typeof success !== 'boolean') return undefined;
    return { success, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return undefined;
  }
}
