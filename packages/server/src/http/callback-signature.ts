import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../lib/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import { signerOf } from '../lib/webhook-signer.ts';

/** Recommended by Standard Webhooks: allows for clock skew, but little time for replays. */
const TOLERANCE_MS = 5 * MINUTE_MS;
const ID_CHARS_MAX = 256;
const TIMESTAMP = /^\d{1,12}$/;

export function isSigned(headers: IncomingHttpHeaders): boolean {
  return 'webhook-signature' in headers;
}

/** Returns the id of a correctly signed message; otherwise refuses. */
export async function verifySignature(
  { secret, headers, now }: { secret: string; headers: IncomingHttpHeaders; now: number },
  body: () => Promise<string>,
): Promise<string> {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  const signatures = String(headers['webhook-signature']).split(' ');
  if (id === '' || id.length > ID_CHARS_MAX || !TIMESTAMP.test(timestamp)) {
    throw refusal('A signature needs a webhook-id and a webhook-timestamp in seconds.');
  }
  const at = Number(timestamp) * SECOND_MS;
  if (Math.abs(now - at) > TOLERANCE_MS) {
    throw refusal('The webhook-timestamp is more than five minutes off.');
  }
  const signer = await signerOf(secret);
  const expected = digestOf(signer.sign(id, new Date(at), await body()));
  if (!signatures.some((signature) => timingSafeEqual(expected, digestOf(signature)))) {
    throw refusal('The signature is invalid.');
  }
  return id;
}

function refusal(message: string): AppError {
  return new AppError('unauthorized', message);
}

/** Equal lengths, as `timingSafeEqual` requires. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
