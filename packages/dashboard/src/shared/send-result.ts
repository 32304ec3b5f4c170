import type { SendFailure, SendResult } from '@leadtrail/contract/deliveries';

/** What became of a delivery, in words: a label for lists, and a sentence that says what to do. */

type Words = { label: string; sentence: string };

const FAILURES: Readonly<Record<SendFailure, Words>> = {
  timeout: {
    label: 'No answer in time',
    sentence:
      'The platform did not answer in time. Let the automation answer first and do its work afterwards.',
  },
  refused: {
    label: 'Connection refused',
    sentence: 'The platform refused the connection. Check that it is running and that the address is right.',
  },
  dns_lookup_failed: {
    label: 'Host not found',
    sentence: 'The host in the webhook address was not found. Check it for typos.',
  },
  unreachable: {
    label: 'Not reachable',
    sentence: 'The platform could not be reached. Check that it is running and that no firewall blocks it.',
  },
  tls_failed: {
    label: 'No secure connection',
    sentence:
      'No secure connection could be made. Check whether the address should begin with http or https.',
  },
  certificate_invalid: {
    label: 'Invalid certificate',
    sentence: 'The certificate of the platform is not valid. Renew it, then send the lead again.',
  },
  address_not_allowed: {
    label: 'Address not allowed',
    sentence: 'Nothing was sent, because the address is not on the public internet.',
  },
  invalid_url: {
    label: 'Invalid address',
    sentence: 'The webhook address is not valid. Correct it in the settings.',
  },
  connection_closed: {
    label: 'Connection closed',
    sentence: 'The platform closed the connection before it answered.',
  },
  invalid_http: {
    label: 'No valid answer',
    sentence: 'The answer was not valid HTTP. Check that the address is that of the webhook.',
  },
  stopped: { label: 'Interrupted', sentence: 'The service was stopped while it was sending.' },
  failed: { label: 'Not sent', sentence: 'The lead could not be sent.' },
};

const STATUS = 'status_';

/** Undefined if the delivery was accepted, or if no result was recorded. */
export function failureLabel(result: SendResult | null): string | undefined {
  return result === null ? undefined : wordsFor(result)?.label;
}

/** Falls back to the recorded error if there is no result. */
export function failureSentence(result: SendResult | null, error: string | null): string | null {
  if (result === null) return error;
  return wordsFor(result)?.sentence ?? null;
}

function wordsFor(result: SendResult): Words | undefined {
  if (result === 'delivered') return undefined;
  if (!isStatus(result)) return FAILURES[result];
  const status = Number(result.slice(STATUS.length));
  return { label: `Answered ${status}`, sentence: `The platform answered ${status}.${adviceFor(status)}` };
}

function isStatus(result: SendResult): result is `status_${number}` {
  return result.startsWith(STATUS);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return ' Check the webhook address and the signing secret.';
  if (status === 404 || status === 410) return ' Check the webhook address and that the automation is on.';
  if (status === 429) return ' It accepts fewer requests than it receives.';
  return status >= 500 ? ' Look for the error in its own log.' : '';
}
