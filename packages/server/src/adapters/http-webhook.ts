import type { OutgoingHttpHeaders } from 'node:http';
import type { SendResult } from '@leadtrail/contract/deliveries';
import { resultOf, sentenceFor } from '../domain/delivery/send-result.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import { signerOf } from '../lib/webhook-signer.ts';
import type { Webhook, WebhookMessage, WebhookOutcome } from '../ports/webhook.ts';
import { type OutboundOptions, type OutboundResult, openOutboundHttp } from './outbound-http.ts';

export type HttpWebhookOptions = Pick<OutboundOptions, 'timeoutMs' | 'lookup'>;

const TIMEOUT_MS = 15 * SECOND_MS;
const CONNECTIONS_PER_HOST_MAX = 64;
const ANSWER_READ_BYTES_MAX = 64 * 1024;
const ANSWER_SHOWN_BYTES_MAX = 2 * 1024;

export function openHttpWebhook({ timeoutMs = TIMEOUT_MS, lookup }: HttpWebhookOptions = {}): Webhook {
  const outbound = openOutboundHttp({
    connectionsPerHostMax: CONNECTIONS_PER_HOST_MAX,
    answerBytesMax: ANSWER_READ_BYTES_MAX,
    timeoutMs,
    lookup,
  });
  const outcome = (result: SendResult): WebhookOutcome => ({
    result,
    error: sentenceFor(result, timeoutMs),
    statusCode: null,
    retryAfter: undefined,
    durationMs: 0,
    answer: '',
  });

  return {
    async send({ url: address, policy, secret }, message, signal) {
      const url = parseTarget(address);
      if (url === null) return outcome('invalid_url');
      const headers = await headersOf(message, secret);
      const sent = await outbound.send({ method: 'POST', url, headers, body: message.body, policy, signal });
      const { status, failure, durationMs } = sent;
      if (status === null) return { ...outcome(failure?.reason ?? 'failed'), durationMs };
      return {
        ...outcome(resultOf(status)),
        statusCode: status,
        retryAfter: sent.headers['retry-after'],
        durationMs,
        answer: shownText(sent),
      };
    },
    close: outbound.close,
  };
}

function parseTarget(address: string): URL | null {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  try {
    // Node decodes user and password to build a header, and throws if it cannot.
    decodeURIComponent(`${url.username}:${url.password}`);
    return url;
  } catch {
    return null;
  }
}

/** The headers of Standard Webhooks 1.0. */
async function headersOf(message: WebhookMessage, secret: string | null): Promise<OutgoingHttpHeaders> {
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'user-agent': 'Leadtrail',
    'accept-encoding': 'identity',
    'webhook-id': message.id,
    'webhook-timestamp': Math.floor(message.at / SECOND_MS),
  };
  // Signing with an empty secret would be worthless, so it counts as none.
  if (secret !== null && secret !== '') {
    const signer = await signerOf(secret);
    headers['webhook-signature'] = signer.sign(message.id, new Date(message.at), message.body);
  }
  return headers;
}

/** Drops a character cut in two, and replaces NUL, which PostgreSQL rejects. */
function shownText({ headers, body }: OutboundResult): string {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return '';
  const shown = body.subarray(0, ANSWER_SHOWN_BYTES_MAX);
  return new TextDecoder().decode(shown, { stream: true }).replaceAll('\0', '\uFFFD');
}
