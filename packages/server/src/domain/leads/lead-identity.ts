import { makeLru } from '../../lib/lru.ts';
import { cut } from '../tracking/page-address.ts';

/**
 * Who a submission is from. Within a project every identity belongs to one lead: the first that has it keeps it,
 * and a lead learns those of its follow-ups that no other lead has.
 */

/** In the order in which they decide. */
export const IDENTITY_KINDS = ['visitor', 'email', 'phone', 'ip'] as const;
export type IdentityKind = (typeof IDENTITY_KINDS)[number];
export type Identity = { readonly kind: IdentityKind; readonly value: string };

/** Part of an index whose rows have to fit PostgreSQL's limit together with the longest identity. */
const PROJECT_KEY_CHARS_MAX = 256;

/** Most leads are for one of a few dozen projects. */
const projectKeys = makeLru<string>({ entriesMax: 256 });

/** Project names compare without regard to case, width and the amount of space between words. */
export function projectKey(project: string): string {
  return projectKeys.getOrInsertComputed(project, foldedKey);
}

function foldedKey(project: string): string {
  const folded = project.normalize('NFKC').toLowerCase();
  return cut(folded.replaceAll(/\s+/g, ' ').trim(), PROJECT_KEY_CHARS_MAX).trimEnd();
}

/** All that a lead remembers of a submission, in priority order. The address always comes last. */
export function identitiesOf(submission: {
  visitorId: string;
  emailKey: string | null;
  phoneKey: string | null;
  ip: string;
}): Identity[] {
  const identities: Identity[] = [];
  if (submission.visitorId !== '') identities.push({ kind: 'visitor', value: submission.visitorId });
  if (submission.emailKey !== null) identities.push({ kind: 'email', value: submission.emailKey });
  if (submission.phoneKey !== null) identities.push({ kind: 'phone', value: submission.phoneKey });
  identities.push({ kind: 'ip', value: submission.ip });
  return identities;
}

/** Those a submission is looked up by: two people in one office share an address and are still two leads. */
export function lookupKinds(identities: readonly Identity[]): Identity[] {
  const personal = identities.filter(({ kind }) => kind !== 'ip');
  return personal.length > 0 ? personal : [...identities];
}

export function identityKey({ kind, value }: Identity): string {
  return `${kind}\n${value}`;
}

/** The lead a submission belongs to, given which lead holds which identity; undefined for someone new. */
export function chooseLead(
  identities: readonly Identity[],
  holderOf: (identity: Identity) => number | undefined,
): number | undefined {
  for (const identity of lookupKinds(identities)) {
    const lead = holderOf(identity);
    if (lead !== undefined) return lead;
  }
  return undefined;
}
