import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import type { OpenedLink } from '../flows/open-shared-link.ts';
import { AppError } from '../lib/errors.ts';
import { offeredKeys } from './authenticate.ts';
import { isSigned } from './callback-signature.ts';
import type { HttpContext } from './http-context.ts';
import type { SharedRateLimit } from './rate-limit.ts';
import { siteOriginHeaders } from './site-origin.ts';

/** How often a client may call: tracking and forms are counted by the request, keys where they are wrong, shared links by
 * the link. */

export type NamedLimit = { name: 'track' | 'capture'; limit: SharedRateLimit };

/** Null: it has none. */
export function limitOf({ group, form }: Endpoint, context: HttpContext): NamedLimit | null {
  const { trackLimit, captureLimit } = context;
  if (group === 'Tracking' && trackLimit.perMinute > 0) return { name: 'track', limit: trackLimit };
  if (form !== undefined && captureLimit.perMinute > 0) return { name: 'capture', limit: captureLimit };
  return null;
}

/** The block list is asked later: so beyond the limit a blocked client sees what everybody sees. */
export async function takeFromLimit(
  { name, limit }: NamedLimit,
  ip: string,
  sent: IncomingHttpHeaders,
  headers: Record<string, string>,
  context: HttpContext,
): Promise<void> {
  // Servers are not limited, and a key that turns out to be wrong counts as that.
  if (name === 'capture' && hasKey(sent)) return;
  const taken = limit.take(ip, context.now());
  // Nothing to wait for where this process counts alone.
  const { allowed, remaining, resetSeconds } = taken instanceof Promise ? await taken : taken;
  headers['ratelimit-policy'] = `"${name}";q=${limit.perMinute};w=60`;
  headers.ratelimit = `"${name}";r=${remaining};t=${resetSeconds}`;
  if (allowed || (await context.isWhitelisted(ip))) return;
  if (name === 'capture') {
    context.metrics.dropped('lead_rate_limited');
    // The site has not been looked up: any page may read that it has to wait.
    Object.assign(headers, siteOriginHeaders(sent.origin, true));
  }
  throw new AppError('rate_limited', 'Too many requests from this address.', {
    retryAfterSeconds: resetSeconds,
  });
}

function hasKey(headers: IncomingHttpHeaders): boolean {
  return String(headers['x-api-key'] ?? '').trim() !== '';
}

export function takeFromLink(link: OpenedLink, { sharedLinkLimit, now }: HttpContext): OpenedLink {
  const { allowed, resetSeconds } = sharedLinkLimit.take(String(link.id), now());
  if (allowed) return link;
  throw new AppError('rate_limited', 'Too many requests with this link. Wait a minute.', {
    retryAfterSeconds: resetSeconds,
  });
}

/** A request without a key or signature has guessed none. */
export function mayBeWrongKey(error: unknown, headers: IncomingHttpHeaders): error is AppError {
  const isRefused = error instanceof AppError && error.code === 'unauthorized';
  return isRefused && (offeredKeys(headers).length > 0 || isSigned(headers));
}

/** Wrong keys are limited, right ones never: nobody can be locked out by others behind the same address. */
export function refuseWrongKey(
  wrong: AppError,
  ip: string,
  { wrongKeyLimit, metrics, log, now }: HttpContext,
): AppError {
  metrics.keyRefused();
  const { count, allowed, resetSeconds } = wrongKeyLimit.take(ip, now());
  if (allowed) return wrong;
  // Once a minute and client.
  if (count === wrongKeyLimit.perMinute + 1) log.warn('too many wrong keys', { client: ip });
  return new AppError('rate_limited', 'Too many wrong keys from this address. Wait a minute.', {
    retryAfterSeconds: resetSeconds,
  });
}
