import type { SendFailure, SendResult } from '@leadtrail/contract/deliveries';
import { SECOND_MS } from '../../lib/utc-time.ts';
import { isDelivered } from './retry-delay.ts';

const SENTENCES: Readonly<Record<Exclude<SendFailure, 'timeout'>, string>> = {
  refused: 'The connection was refused.',
  dns_lookup_failed: 'The host name of the target could not be resolved.',
  unreachable: 'The target cannot be reached.',
  tls_failed: 'A secure connection to the target could not be established.',
  certificate_invalid: 'The certificate of the target is not valid.',
  address_not_allowed: 'The address of this target is not allowed: it is not on the public internet.',
  invalid_url: 'The address of this target is not valid.',
  connection_closed: 'The target closed the connection before answering.',
  invalid_http: 'The target did not answer with valid HTTP.',
  stopped: 'Sending was aborted.',
  failed: 'The message could not be sent.',
};

export function resultOf(statusCode: number): SendResult {
  return isDelivered(statusCode) ? 'delivered' : `status_${statusCode}`;
}

/** What a result means, in one sentence that holds neither address, secret nor message; null when delivered. */
export function sentenceFor(result: SendResult, timeoutMs = 0): string | null {
  if (result === 'delivered') return null;
  if (result === 'timeout') return `The target did not answer within ${timeoutMs / SECOND_MS} seconds.`;
  return isStatus(result)
    ? `The target answered with status ${result.slice('status_'.length)}.`
    : SENTENCES[result];
}

function isStatus(result: SendResult): result is `status_${number}` {
  return result.startsWith('status_');
}
