import { caseFolded } from '../../lib/case-folded.ts';
import { memoize } from '../../lib/memoize.ts';
import { cut } from '../tracking/page-address.ts';

/**
 * Identity resolution. Within a project an identity belongs to the first lead that had it; a follow-up adds
 * to its lead the identities that no other lead holds.
 */

/** In order of priority. */
export const IDENTITY_KINDS = ['visitor', 'email', 'phone', 'ip'] as const;
export type IdentityKind = (typeof IDENTITY_KINDS)[number];
export type Identity = { readonly kind: IdentityKind; readonly value: string };

/** Must fit into a row of a PostgreSQL index, together with the longest identity. */
const PROJECT_KEY_CHARS_MAX = 256;

/** Project names are compared ignoring case, width and white space. */
export const projectKey = memoize(256, (project) =>
  cut(caseFolded(project).replaceAll(/\s+/g, ' ').trim(), PROJECT_KEY_CHARS_MAX).trimEnd(),
);

/** In order of priority. */
export function identitiesOf(submission: {
  visitorId: string;
  emailKey: string | null;
  phoneKey: string | null;
  ip: string | null;
}): Identity[] {
  const identities: Identity[] = [];
  if (submission.visitorId !== '') identities.push({ kind: 'visitor', value: submission.visitorId });
  if (submission.emailKey !== null) identities.push({ kind: 'email', value: submission.emailKey });
  if (submission.phoneKey !== null) identities.push({ kind: 'phone', value: submission.phoneKey });
  if (submission.ip !== null) identities.push({ kind: 'ip', value: submission.ip });
  return identities;
}

/** The IP address counts only without a better identity: two people in one office are two leads. */
export function lookupKinds(identities: readonly Identity[]): Identity[] {
  const personal = identities.filter(({ kind }) => kind !== 'ip');
  return personal.length > 0 ? personal : [...identities];
}

export function identityKey({ kind, value }: Identity): string {
  return `${kind}\n${value}`;
}

export type HeldBy = { leadId: number; isProvisional: boolean };

/** The lead that a submission belongs to; undefined: a new one. Provisional leads come last. */
export function chooseLead(
  identities: readonly Identity[],
  holderOf: (identity: Identity) => HeldBy | undefined,
): number | undefined {
  const holders = lookupKinds(identities).flatMap((identity) => holderOf(identity) ?? []);
  return (holders.find(({ isProvisional }) => !isProvisional) ?? holders[0])?.leadId;
}
