import { chooseLead } from '../../domain/leads/lead-identity.ts';
import { nameKey } from '../../domain/leads/lead-listing.ts';
import { searchLines, withSearchText } from '../../domain/leads/lead-search.ts';
import type { Db } from '../dialect.ts';
import { dropProvisional } from './identities.ts';
import {
  isBotOfPerson,
  KNOWN_COLUMNS,
  type KnownLead,
  SHOWN_COLUMNS,
  type Submission,
} from './submission.ts';
import { UPDATED } from './updates.ts';

/** What a submission does to an existing lead. */

export async function readKnownLead(
  { dialect }: Db,
  { capture, held }: Submission,
): Promise<KnownLead | undefined> {
  const leadId = chooseLead(capture.enquiry.identities, ({ kind }) => {
    const holder = held.find((each) => each.kind === kind);
    return holder && { leadId: holder.lead_id, isProvisional: holder.is_provisional === 1 };
  });
  if (leadId === undefined) return undefined;
  // Locked: another submission may reach the same lead by another identity.
  const [known] = await dialect.selectForUpdate<KnownLead>(SELECT_KNOWN, [leadId]);
  return known;
}

const SELECT_KNOWN = `select lead_id, ${KNOWN_COLUMNS.join(', ')} from leads where lead_id = ?`;

/** Fills empty columns and replaces none; a bot that writes in a person's name fills nothing. */
export async function followUp(db: Db, submission: Submission, known: KnownLead): Promise<void> {
  const { lead, capture } = submission;
  const isStranger = isBotOfPerson(known, lead);
  const lines = searchLines(lead, capture.enquiry.phone, capture.enquiry.customFields);
  const filled = fill(known, isStranger ? known : lead);
  const isWorse = lead.suspicion_score > known.suspicion_score && (await isEvidence(db, submission, known));
  await db.dialect.run(UPDATE_FOLLOWED, [
    ...countedAt(submission, known),
    ...FILLED_COLUMNS.map((column) => filled[column]),
    nameKey(filled.contact_name),
    isStranger ? known.search_text : withSearchText(known.search_text, lines),
    isWorse ? lead.suspicion_score : known.suspicion_score,
    isWorse ? lead.suspicion_reasons : known.suspicion_reasons,
    known.lead_id,
  ]);
}

/** The maximum: a set-aside submission may be accepted after later ones. */
function countedAt({ lead }: Submission, known: KnownLead): number[] {
  return [Math.max(lead.created_at, known.last_follow_up_at ?? 0), lead.updated_at, lead.updated_at];
}

/** What a follow-up may fill. */
export const FILLED_COLUMNS = [
  'project_location',
  'project_source',
  'source_key',
  'contact_name',
  'contact_email',
  'contact_phone',
  'contact_country_code',
  'visitor_id',
  'session_id',
  'referer',
  'message',
] as const satisfies readonly (typeof KNOWN_COLUMNS)[number][];
export type Filled = Pick<KnownLead, (typeof FILLED_COLUMNS)[number]>;

/** What is empty comes from the other one. A country code belongs to its phone number, a session to its visitor. */
export function fill(known: Filled, other: Filled): Filled {
  const { contact_country_code } = known.contact_phone === '' && other.contact_phone !== '' ? other : known;
  const { visitor_id, session_id } = known.visitor_id === '' && other.visitor_id !== '' ? other : known;
  return {
    project_location: known.project_location || other.project_location,
    project_source: known.project_source || other.project_source,
    source_key: known.source_key || other.source_key,
    contact_name: known.contact_name || other.contact_name,
    contact_email: known.contact_email || other.contact_email,
    contact_phone: known.contact_phone || other.contact_phone,
    contact_country_code,
    visitor_id,
    session_id,
    referer: known.referer || other.referer,
    message: known.message || other.message,
  };
}

const COUNTED = `form_submit_count = form_submit_count + 1, follow_ups_count = follow_ups_count + 1,
  needs_review = 1, last_follow_up_at = ?, ${UPDATED}`;
const UPDATE_FOLLOWED = `update leads set ${COUNTED}, ${FILLED_COLUMNS.map((column) => `${column} = ?`).join(', ')}, name_key = ?,
  search_text = ?, suspicion_score = ?, suspicion_reasons = ? where lead_id = ?`;

/**
 * Whether it shares a visitor or an address with the shown submission, or with one that shares either with
 * that. Any other follow-up may be a stranger's, whose risk must not count against the person.
 */
async function isEvidence(
  { dialect }: Db,
  { lead, capture }: Submission,
  known: KnownLead,
): Promise<boolean> {
  // The address of a server says nothing about the person.
  const hasAddress = capture.enquiry.personIp === null ? 0 : 1;
  const linked = await dialect.run(SELECT_LINKED, [
    known.lead_id,
    known.shown_submission_id,
    known.shown_submission_id,
    capture.submissionPublicId,
    hasAddress,
    lead.contact_ip,
    lead.visitor_id,
    hasAddress,
  ]);
  return linked.length > 0;
}

const SELECT_LINKED = `
  select 1 from submissions shown join submissions s on s.lead_id = shown.lead_id
  where shown.lead_id = ? and (shown.submission_id = ? or (0 = ? and shown.is_primary_lead = 1))
    and s.lead_submission_public_id <> ?
    and ((1 = ? and s.is_server_ip = 0 and s.contact_ip = ?) or (s.visitor_id <> '' and s.visitor_id = ?))
    and (s.submission_id = shown.submission_id or (1 = ? and s.is_server_ip = 0 and s.contact_ip = shown.contact_ip)
      or (s.visitor_id <> '' and s.visitor_id = shown.visitor_id))
  limit 1`;

const UPDATE_TAKEN_OVER = `update leads set ${COUNTED}, shown_submission_id = ?,
  ${SHOWN_COLUMNS.map((column) => `${column} = ?`).join(', ')} where lead_id = ?`;

/** The first person after bots takes over the lead, and identities that only bots brought are dropped. */
export async function takeOver(
  db: Db,
  submission: Submission,
  known: KnownLead,
  submissionId: number,
): Promise<void> {
  const shown = SHOWN_COLUMNS.map((column) => submission.lead[column]);
  const counted = countedAt(submission, known);
  await db.dialect.run(UPDATE_TAKEN_OVER, [...counted, submissionId, ...shown, known.lead_id]);
  await dropProvisional(db, known.lead_id);
}
