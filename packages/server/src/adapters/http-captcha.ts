import type { SpamCheckProvider } from '@leadtrail/contract/form-settings';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Captcha, CaptchaOutcome, CaptchaQuestion } from '../ports/captcha.ts';
import { type OutboundResult, openOutboundHttp } from './outbound-http.ts';

export type CaptchaAddresses = Readonly<Record<SpamCheckProvider, string>>;

const ADDRESSES: CaptchaAddresses = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};

/** Somebody waits for it. */
const TIMEOUT_MS = 3 * SECOND_MS;
const CONNECTIONS_PER_HOST_MAX = 32;
const ANSWER_BYTES_MAX = 16 * 1024;
/** It is the secret that is wrong, which is not the sender's fault. */
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
        // Waiting for a free connection counts, too.
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return outcomeOf(result);
    },
    close: outbound.close,
  };
}

function questionOf({ provider, siteKey, secret, token, ip }: CaptchaQuestion): string {
  const question = new URLSearchParams({ secret, response: token, remoteip: ip });
  // Otherwise a token of another site of the same account would do.
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

/** Providers answer errors of the request with JSON, too, whatever the status. */
function answerOf(body: Buffer): { success: boolean; errors: readonly unknown[] } | undefined {
  try {
    const { success, 'error-codes': errors } = Object(JSON.parse(body.toString()));
    if (typeof success !== 'boolean') return undefined;
    return { success, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return undefined;
  }
}
