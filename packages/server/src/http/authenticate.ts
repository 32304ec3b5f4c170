import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { looksShared } from '../domain/setup/shared-link.ts';
import type { OpenedLink, OpenSharedLink } from '../flows/open-shared-link.ts';
import { AppError } from '../lib/errors.ts';
import { isSigned, verifySignature } from './callback-signature.ts';

export type Role = 'admin' | 'marketing';
/** The secrets with which other programs authenticate their callbacks. */
export type SecretKind = 'callback' | 'crm-webhook';

const KEY_REQUIRED =
  'An API key is required: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>".';
const KEY_INVALID = 'The API key is invalid.';
const LINK_INVALID = 'This link is no longer valid: it has expired or was taken back.';
const SECRET_REQUIRED =
  'A secret is required: send it as "Authorization: Bearer <SECRET>" or "X-API-Key: <SECRET>".';

const SIGNATURE_REQUIRED =
  'This request must be signed: send webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks).';

/** Resolves the API key of a request to its role, or a token to its shared link; otherwise refuses. */
export function makeAuthenticate(
  keys: Readonly<Record<Role, string | undefined>>,
  openSharedLink: OpenSharedLink,
) {
  const known = Object.entries(keys)
    .filter(([, key]) => key !== undefined && key !== '')
    .map(([role, key]) => ({ role: role as Role, digest: digestOf(key as string) }));

  return async (headers: IncomingHttpHeaders): Promise<Role | OpenedLink> => {
    const offered = offeredKeys(headers);
    if (offered.length === 0) throw new AppError('unauthorized', KEY_REQUIRED);
    for (const key of offered) {
      const digest = digestOf(key);
      // Compares with every known key, in constant time, so that timing reveals nothing.
      const matches = known.filter((candidate) => timingSafeEqual(candidate.digest, digest));
      if (matches[0] !== undefined) return matches[0].role;
    }
    const tokens = offered.filter(looksShared);
    for (const token of tokens) {
      const link = await openSharedLink(token);
      if (link !== null) return link;
    }
    throw new AppError('unauthorized', tokens.length === 0 ? KEY_INVALID : LINK_INVALID);
  };
}

export type Secrets = Readonly<Record<SecretKind, string | null>> & { requireSignature: boolean };

/**
 * Refuses a request without a current secret, and every request while none is
 * configured. The secret is sent in a header, or signs the request, which then
 * has an id. An invalid signature is refused even if the header is right.
 */
export function makeRequireSecret(currentSecrets: () => Promise<Secrets>, now: () => number) {
  return async (
    kind: SecretKind,
    headers: IncomingHttpHeaders,
    body: () => Promise<string>,
  ): Promise<string | null> => {
    const { requireSignature, [kind]: secret } = await currentSecrets();
    if (secret === null || secret === '') {
      throw new AppError('not_configured', 'No secret is configured for this endpoint.');
    }
    if (isSigned(headers)) return verifySignature({ secret, headers, now: now() }, body);
    const offered = offeredKeys(headers);
    if (offered.length === 0 && !requireSignature) throw new AppError('unauthorized', SECRET_REQUIRED);
    const expected = digestOf(secret);
    if (offered.length > 0 && !offered.some((key) => timingSafeEqual(expected, digestOf(key)))) {
      throw new AppError('unauthorized', 'The secret is invalid.');
    }
    if (requireSignature) throw new AppError('unauthorized', SIGNATURE_REQUIRED);
    return null;
  };
}

/** Both headers may be sent; the first valid key counts. */
export function offeredKeys(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1]?.trim();
  const apiKey = headers['x-api-key'];
  return [bearer, typeof apiKey === 'string' ? apiKey.trim() : undefined].filter(
    (key): key is string => key !== undefined && key !== '',
  );
}

/** Equal lengths, as `timingSafeEqual` requires. */
function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
