import type { Webhook } from 'standardwebhooks';

/** Standard Webhooks 1.0 signatures, for outgoing and incoming messages. */
export type Signer = Pick<Webhook, 'sign'>;

let latest: { secret: string; signer: Signer } | undefined;

/** Nearly always the same secret as the last time. */
export async function signerOf(secret: string): Promise<Signer> {
  if (latest?.secret === secret) return latest.signer;
  const signer = await makeSigner(secret);
  latest = { secret, signer };
  return signer;
}

/**
 * By the standard a secret is base64, with or without the prefix `whsec_`. Any other text is used as UTF-8,
 * so that any secret agreed on with the other side works.
 */
async function makeSigner(secret: string): Promise<Signer> {
  // Loaded lazily: many installations never sign anything.
  const { Webhook } = await import('standardwebhooks');
  try {
    return new Webhook(secret);
  } catch {
    return new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
  }
}
