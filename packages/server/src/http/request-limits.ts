import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import type { KeyStanding } from '../flows/check-key.ts';
import type { OpenedLink } from '../flows/open-shared-link.ts';
import { AppError } from '../lib/errors.ts';
import { offeredKeys } from './authenticate.ts';
import { isSigned } from './callback-signature.ts';
import type { HttpContext } from './http-context.ts';
import type { SharedRateLimit } from './rate-limit.ts';
import { siteOriginHeaders } from './site-origin.ts';

/** Rate limits: tracking and forms count requests, API keys only wrong ones, shared links count per link. */

export type NamedLimit = {
  name: 'track' | 'capture';
  limit: SharedRateLimit;
  /** How many requests this one counts for. */
  amountOf(headers: IncomingHttpHeaders): number;
};

/**
 * Tracking is stored as it comes, so large requests count several times. Nearly all are smaller than this.
 */
const REQUEST_BYTES = 16 * 1024;
/** Recordings are larger, and only accepted from visitors who are recorded. */
const RECORDING_BYTES = 64 * 1024;

/** Null: the endpoint has no limit. */
export function limitOf(endpoint: Endpoint, context: HttpContext): NamedLimit | null {
  const { trackLimit, captureLimit } = context;
  if (endpoint.group === 'Tracking' && trackLimit.perMinute > 0)
    return { name: 'track', limit: trackLimit, amountOf: (headers) => amountOf(headers, endpoint) };
  if (endpoint.form !== undefined && captureLimit.perMinute > 0)
    return { name: 'capture', limit: captureLimit, amountOf: () => 1 };
  return null;
}

/** Computed before the body is read. Without a declared length, it counts as the largest possible. */
function amountOf(headers: IncomingHttpHeaders, { bodyBytesMax = 0, packed }: Endpoint): number {
  const isUnsaid = headers['transfer-encoding'] !== undefined;
  const bytes = isUnsaid ? bodyBytesMax : Math.min(Number(headers['content-length'] ?? 0) || 0, bodyBytesMax);
  return 1 + Math.floor(bytes / (packed ? RECORDING_BYTES : REQUEST_BYTES));
}

/** The block list is checked later, so beyond the limit a blocked client sees the same as any other. */
export async function takeFromLimit(
  { name, limit, amountOf }: NamedLimit,
  ip: string,
  sent: IncomingHttpHeaders,
  headers: Record<string, string>,
  context: HttpContext,
): Promise<void> {
  const taken = limit.take(ip, context.now(), Math.min(amountOf(sent), limit.perMinute));
  // Avoids a microtask if this process counts alone.
  const { allowed, remaining, resetSeconds } = taken instanceof Promise ? await taken : taken;
  headers['ratelimit-policy'] = `"${name}";q=${limit.perMinute};w=60`;
  headers.ratelimit = `"${name}";r=${remaining};t=${resetSeconds}`;
  if (allowed || (await context.isWhitelisted(ip))) return;
  if (name === 'capture') {
    context.metrics.dropped('lead_rate_limited');
    // The site has not been looked up, so any page may read that it has to wait.
    Object.assign(headers, siteOriginHeaders(sent.origin, true));
  }
  throw new AppError('rate_limited', 'Too many requests from this address.', {
    retryAfterSeconds: resetSeconds,
  });
}

/** The standing of a form's key; undefined: the form comes without one. */
export function standingOfKey(
  headers: IncomingHttpHeaders,
  ip: string,
  { checkKey }: HttpContext,
): Promise<KeyStanding> | undefined {
  const key = String(headers['x-api-key'] ?? '').trim();
  return key === '' ? undefined : checkKey(key, ip);
}

export function takeFromLink(link: OpenedLink, { sharedLinkLimit, now }: HttpContext): OpenedLink {
  const { allowed, resetSeconds } = sharedLinkLimit.take(String(link.id), now());
  if (allowed) return link;
  throw new AppError('rate_limited', 'Too many requests with this link. Wait a minute.', {
    retryAfterSeconds: resetSeconds,
  });
}

/** A request without a key or signature is no guess. */
export function mayBeWrongKey(error: unknown, headers: IncomingHttpHeaders): error is AppError {
  const isRefused = error instanceof AppError && error.code === 'unauthorized';
  return isRefused && (offeredKeys(headers).length > 0 || isSigned(headers));
}

/** Only wrong keys are limited: right ones cannot be locked out by others behind the same address. */
export function refuseWrongKey(
  wrong: AppError,
  ip: string,
  { wrongKeyLimit, metrics, log, now }: HttpContext,
): AppError {
  metrics.keyRefused();
  const { count, allowed, resetSeconds } = wrongKeyLimit.take(ip, now());
  if (allowed) return wrong;
  // One log line per minute and client.
  if (count === wrongKeyLimit.perMinute + 1) log.warn('too many wrong keys', { client: ip });
  return new AppError('rate_limited', 'Too many wrong keys from this address. Wait a minute.', {
    retryAfterSeconds: resetSeconds,
  });
}
