import { type Identity, identityKey } from '../../domain/leads/lead-identity.ts';
import type { Db } from '../dialect.ts';

/** Which leads, of several projects, are of one person: those that hold the same identity. */

/**
 * How many leads an identity links: no person asks about more projects, but a form can name any number of
 * them. Takes the first by project key, the order of the index, so that no more rows are read.
 */
export const LINKED_LEADS_MAX = 100;

/** For `run`: the first rows of an identity. */
export function firstHolders(columns: string, isHeld: string): string {
  return `select ${columns} from lead_identities where ${isHeld} order by project_key limit ${LINKED_LEADS_MAX}`;
}

/** By lead: for each of its identities, the leads that it links. Provisional identities do not count. */
export type Links = ReadonlyMap<number, readonly ReadonlySet<number>[]>;

type Held = Identity & { lead_id: number };

export async function linksOf({ dialect }: Db, leadIds: readonly number[]): Promise<Links> {
  const mine = `from (${dialect.lookUp('lead_identities', 'lead_id')}) held where kind <> 'ip' and is_provisional = 0`;
  const holders = dialect.lateral(`
    select lead_id as value from (
      ${firstHolders('lead_id, is_provisional', 'kind = mine.kind and value = mine.value')}
    ) first where is_provisional = 0`);
  const ids = JSON.stringify(leadIds);
  // Each identity once: most of these leads may share it.
  const [held, linked] = await Promise.all([
    dialect.run<Held>(`select lead_id, kind, value ${mine}`, [ids]),
    dialect.run<Held>(
      `select mine.kind, mine.value, found.value as lead_id
      from (select distinct kind, value ${mine}) mine cross join ${holders}`,
      [ids],
    ),
  ]);
  const leadsBy = new Map<string, Set<number>>();
  for (const each of linked)
    leadsBy.getOrInsertComputed(identityKey(each), () => new Set()).add(each.lead_id);
  const links = new Map<number, ReadonlySet<number>[]>();
  for (const each of held) {
    const leads = leadsBy.get(identityKey(each)) ?? new Set();
    links.getOrInsertComputed(each.lead_id, () => []).push(leads);
  }
  return links;
}

/** The leads whose submissions count for a lead. Beyond the limit: those that are linked, and itself. */
export function countedFor(links: Links, leadId: number): Set<number> {
  const counted = new Set([leadId]);
  for (const leads of links.get(leadId) ?? []) for (const each of leads) counted.add(each);
  return counted;
}

/** The other leads for which the submissions of a lead count. */
export function relativesOf(links: Links, leadId: number): Set<number> {
  const relatives = new Set<number>();
  for (const leads of links.get(leadId) ?? []) {
    if (leads.has(leadId)) for (const each of leads) relatives.add(each);
  }
  relatives.delete(leadId);
  return relatives;
}
