import type { SendFailure, SendResult } from '@leadtrail/contract/deliveries';
import { SECOND_MS } from '../../lib/utc-time.ts';
import { isDelivered } from './retry-delay.ts';

const SENTENCES: Readonly<Record<Exclude<SendFailure, 'timeout'>, string>> = {
  refused: 'The connection was refused.',
  dns_lookup_failed: 'The name of the target cannot be resolved.',
  unreachable: 'The target cannot be reached.',
  tls_failed: 'A secure connection to the target cannot be made.',
  certificate_invalid: 'The certificate of the target is not valid.',
  address_not_allowed: 'The address of this target is not allowed: it is not on the public internet.',
  invalid_url: 'The address of this target is not valid.',
  connection_closed: 'The connection was closed before an answer came.',
  invalid_http: 'The target did not answer with valid HTTP.',
  stopped: 'The sending was stopped.',
  failed: 'The message could not be sent.',
};

/** What came of an answer: the status alone decides, whatever becomes of the body. */
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
