import type { Webhook } from 'standardwebhooks';

/** Signatures as Standard Webhooks 1.0 has them, for what is sent and what comes in. */
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
 * A secret is base64 with or without `whsec_` before it, as the standard has it. Any other text is taken as it
 * stands, as UTF-8, so that any secret agreed on with the other side works.
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
