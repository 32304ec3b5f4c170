import { chooseLead } from '../../domain/leads/lead-identity.ts';
import { nameKey } from '../../domain/leads/lead-listing.ts';
import { withSearchText } from '../../domain/leads/lead-search.ts';
import type { Db } from '../dialect.ts';
import { dropProvisional } from './identities.ts';
import {
  isBotOfPerson,
  KNOWN_COLUMNS,
  type KnownLead,
  type NewLead,
  SHOWN_COLUMNS,
  type Submission,
} from './submission.ts';

/** What a submission does to a lead that is there already. */

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
  const [known] = await dialect.selectHeld<KnownLead>(SELECT_KNOWN, [leadId]);
  return known;
}

const SELECT_KNOWN = `select lead_id, ${KNOWN_COLUMNS.join(', ')} from leads where lead_id = ?`;

/** Fills what is empty and replaces nothing; from a bot in a person's name it takes nothing at all. */
export async function followUp(db: Db, submission: Submission, known: KnownLead): Promise<void> {
  const { lead } = submission;
  const filling = isBotOfPerson(known, lead) ? NOTHING : lead;
  const isPhoneFilled = known.contact_phone === '' && filling.contact_phone !== '';
  const isVisitorFilled = known.visitor_id === '' && filling.visitor_id !== '';
  const isWorse = lead.suspicion_score > known.suspicion_score && (await isEvidence(db, submission, known));
  const name = known.contact_name || filling.contact_name;
  await db.dialect.run(UPDATE_FOLLOWED, [
    latest(lead, known),
    name,
    known.contact_email || filling.contact_email,
    known.contact_phone || filling.contact_phone,
    isPhoneFilled ? filling.contact_country_code : known.contact_country_code,
    isVisitorFilled ? filling.visitor_id : known.visitor_id,
    isVisitorFilled ? filling.session_id : known.session_id,
    nameKey(name),
    isBotOfPerson(known, lead) ? known.search_text : withSearchText(known.search_text, lead.search_text),
    isWorse ? lead.suspicion_score : known.suspicion_score,
    isWorse ? lead.suspicion_reasons : known.suspicion_reasons,
    known.lead_id,
  ]);
}

/** One that was set aside may be accepted after later ones. */
function latest(lead: NewLead, known: KnownLead): number {
  return Math.max(lead.created_at, known.last_follow_up_at ?? 0);
}

const NOTHING = {
  contact_name: '',
  contact_email: '',
  contact_phone: '',
  contact_country_code: '',
  visitor_id: '',
  session_id: '',
};

const COUNTED = `form_submit_count = form_submit_count + 1, follow_ups_count = follow_ups_count + 1,
  needs_review = 1, last_follow_up_at = ?`;
const UPDATE_FOLLOWED = `update leads set ${COUNTED}, contact_name = ?, contact_email = ?, contact_phone = ?,
  contact_country_code = ?, visitor_id = ?, session_id = ?, name_key = ?, search_text = ?, suspicion_score = ?,
  suspicion_reasons = ? where lead_id = ?`;

/** Whether it comes from a visitor or an address that the lead had before: a stranger's risk is not hers. */
async function isEvidence(
  { dialect }: Db,
  { lead, capture }: Submission,
  known: KnownLead,
): Promise<boolean> {
  if (lead.visitor_id !== '' && lead.visitor_id === known.visitor_id) return true;
  if (capture.enquiry.personIp !== null && lead.contact_ip === known.contact_ip) return true;
  const before = await dialect.run(
    `select 1 from submissions where lead_id = ? and lead_submission_public_id <> ?
      and ((contact_ip = ? and ? = 1) or (visitor_id = ? and visitor_id <> '')) limit 1`,
    [
      known.lead_id,
      capture.submissionPublicId,
      lead.contact_ip,
      capture.enquiry.personIp === null ? 0 : 1,
      lead.visitor_id,
    ],
  );
  return before.length > 0;
}

const UPDATE_TAKEN_OVER = `update leads set ${COUNTED}, shown_submission_id = ?,
  ${SHOWN_COLUMNS.map((column) => `${column} = ?`).join(', ')} where lead_id = ?`;

/** The first person after bots makes the lead their own, and what only bots brought no longer binds. */
export async function takeOver(
  db: Db,
  { lead }: Submission,
  known: KnownLead,
  submissionId: number,
): Promise<void> {
  const shown = SHOWN_COLUMNS.map((column) => lead[column]);
  await db.dialect.run(UPDATE_TAKEN_OVER, [latest(lead, known), submissionId, ...shown, known.lead_id]);
  await dropProvisional(db, known.lead_id);
}
