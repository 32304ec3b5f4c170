import type {
  LeadIdentity,
  MergedLead,
  PossibleDuplicate,
  StageMove,
} from '@leadtrail/contract/lead-records';
import { sql } from 'kysely';
import type { z } from 'zod';
import { dateTime } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';

/** What a lead is recognised by, how it moved through the stages, and which other leads may be the same person. */

const IDENTITIES_MAX = 200;
const STAGE_MOVES_MAX = 200;
const POSSIBLE_DUPLICATES_MAX = 50;

export async function identitiesOf({ query }: Db, leadId: number): Promise<z.output<typeof LeadIdentity>[]> {
  const identities = await query
    .selectFrom('lead_identities as i')
    .leftJoin('submissions as s', 's.submission_id', 'i.submission_id')
    .innerJoin('leads as l', 'l.lead_id', 'i.lead_id')
    .select([
      'i.kind',
      'i.value',
      'i.first_seen_at',
      'i.submission_id',
      's.is_primary_lead',
      'l.shown_submission_id',
    ])
    .where('i.lead_id', '=', leadId)
    .where('i.kind', '<>', 'ip')
    .$narrowType<{ kind: 'visitor' | 'email' | 'phone' }>()
    .orderBy('i.first_seen_at')
    .orderBy('i.submission_id')
    .orderBy('i.kind')
    .limit(IDENTITIES_MAX)
    .execute();
  return identities.map(({ is_primary_lead, shown_submission_id, ...identity }) => ({
    ...identity,
    first_seen_at: dateTime(identity.first_seen_at),
    is_primary:
      shown_submission_id === 0 ? is_primary_lead === 1 : identity.submission_id === shown_submission_id,
  }));
}

export async function stageMovesOf(
  { query, dialect }: Db,
  leadIds: readonly number[],
): Promise<z.output<typeof StageMove>[]> {
  const moves = await query
    .selectFrom('lead_stage_moves')
    .select(['at', 'from_status as from', 'to_status as to', 'moved_by as by'])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .orderBy('at', 'desc')
    .orderBy('lead_id', 'desc')
    .limit(STAGE_MOVES_MAX)
    .execute();
  return moves.map((move) => ({ ...move, at: dateTime(move.at) })) as z.output<typeof StageMove>[];
}

/**
 * Leads that hold an identity which this one has used too, and the other way round. What a merged lead has used counts
 * for the one it went into; the first of `leadIds` is this lead, the others are those merged into it.
 */
export async function possibleDuplicatesOf(
  { query, dialect }: Db,
  leadIds: readonly [number, ...number[]],
): Promise<z.output<typeof PossibleDuplicate>[]> {
  const same = sql`s.kind = i.kind and s.value = i.value and s.project_key = i.project_key`;
  const [leadId] = leadIds;
  const { rows } = await sql<z.output<typeof PossibleDuplicate>>`
    select * from (
      select distinct l.lead_id, l.lead_public_id, l.contact_name, d.kind, d.value from (
        select i.lead_id, i.kind, i.value from lead_shared_identities s join lead_identities i on ${same}
        where s.lead_id in ${dialect.anyOf(leadIds)}
        union select s.lead_id, i.kind, i.value from lead_identities i join lead_shared_identities s on ${same}
        where i.lead_id = ${leadId}
      ) d
      left join lead_merges m on m.merged_lead_id = d.lead_id
      join leads l on l.lead_id = coalesce(m.into_lead_id, d.lead_id)
      where l.lead_id <> ${leadId}
    ) possible
    order by lead_id, kind, ${dialect.byBytes('value')} limit ${sql.lit(POSSIBLE_DUPLICATES_MAX)}
  `.execute(query);
  return rows;
}

export async function mergedInto({ query }: Db, leadId: number): Promise<z.output<typeof MergedLead>[]> {
  const merges = await query
    .selectFrom('lead_merges')
    .select(['merged_lead_id', 'merged_public_id', 'merged_at', 'undo'])
    .where('into_lead_id', '=', leadId)
    .orderBy('merged_at')
    .orderBy('merged_lead_id')
    .execute();
  return merges.map((merge) => ({
    lead_id: merge.merged_lead_id,
    lead_public_id: merge.merged_public_id,
    contact_name: JSON.parse(merge.undo).lead.contact_name,
    merged_at: dateTime(merge.merged_at),
  }));
}
