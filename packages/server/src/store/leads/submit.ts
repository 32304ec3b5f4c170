import type { Enquiry } from '../../domain/leads/enquiry.ts';
import { keptSearchText, type SearchedFields } from '../../domain/leads/submission-search.ts';
import { MINUTE_MS, utcDay } from '../../lib/utc-time.ts';
import { OUT_OF_ORDER_MS_MAX } from '../clocks.ts';
import type { Db } from '../dialect.ts';
import { blockAddress } from '../ip-lists.ts';
import { addToTotals } from '../submission-totals.ts';
import { addSend, type StoredSubmission } from './add-send.ts';
import { followUp, readKnownLead, takeOver } from './follow-up.ts';
import type { AnsweredIds } from './idempotency.ts';
import { learnIdentities } from './identities.ts';
import { noteChange } from './lead-index.ts';
import {
  type AddedSubmission,
  isBotOfPerson,
  type KnownLead,
  type NewLead,
  type Relation,
  type Submission,
} from './submission.ts';

export type Submitted = AnsweredIds & { leadId: number; isPrimary: boolean; isForwarded: boolean };

/** The lead a submission belongs to, its history and everything that follows from it. */
export async function submitLead(db: Db, submission: Submission): Promise<Submitted> {
  const known = await readKnownLead(db, submission);
  const relation = relationOf(known, submission.lead);
  const leadId = known?.lead_id ?? (await db.dialect.insertNumbered('leads', submission.lead));
  // Pipelined: one round trip in PostgreSQL.
  const [added] = await Promise.all([
    addSubmission(db, submission, leadId, known),
    noteChange(db, leadId),
    noteFigures(db, submission, leadId, known),
  ]);
  const [isForwarded] = await Promise.all([
    learnAndForward(db, submission, { leadId, relation, known, ...added }),
    submission.isBlocked ? blockSender(db, submission.capture.enquiry) : undefined,
    countSubmission(db, submission),
  ]);
  const leadPublicId = known?.lead_public_id ?? submission.lead.lead_public_id;
  return {
    leadId,
    leadPublicId,
    submissionPublicId: submission.capture.submissionPublicId,
    isPrimary: known === undefined,
    isForwarded,
  };
}

/** Sent in this order: what is forwarded may depend on what the lead has learned. */
async function learnAndForward(db: Db, submission: Submission, stored: StoredSubmission): Promise<boolean> {
  const { leadId, known, relation, submissionId } = stored;
  const isStranger = relation === 'follow_up' && isBotOfPerson(known, submission.lead);
  const [, , isForwarded] = await Promise.all([
    isStranger ? undefined : learnIdentities(db, submission, leadId, submissionId),
    known && (relation === 'takeover' ? takeOver : followUp)(db, submission, known, submissionId),
    addSend(db, submission, stored),
  ]);
  return isForwarded;
}

function relationOf(known: KnownLead | undefined, lead: NewLead): Relation {
  if (known === undefined) return 'primary';
  return known.is_bot_lead === 1 && lead.is_bot_lead === 0 ? 'takeover' : 'follow_up';
}

async function addSubmission(
  { dialect }: Db,
  { capture, lead }: Submission,
  leadId: number,
  known: KnownLead | undefined,
): Promise<AddedSubmission> {
  const { enquiry, submissionPublicId, duplicateWindowMinutes } = capture;
  const previousAt = known?.last_follow_up_at ?? known?.created_at ?? Number.NEGATIVE_INFINITY;
  const sinceMs = enquiry.at - previousAt;
  // A set-aside submission that is accepted later is older than the previous one by more than that.
  const isDuplicate = sinceMs > -OUT_OF_ORDER_MS_MAX && sinceMs < duplicateWindowMinutes * MINUTE_MS;
  const searched: SearchedFields = {
    contact_email: lead.contact_email,
    contact_phone: lead.contact_phone,
    project_name: lead.project_name,
    source: lead.project_source,
    referer: lead.referer,
    payload_json: enquiry.payloadJson,
  };
  const submissionId = await dialect.insertNumbered('submissions', {
    ...searched,
    lead_submission_public_id: submissionPublicId,
    lead_id: leadId,
    submitted_at: enquiry.at,
    visitor_id: lead.visitor_id,
    session_id: lead.session_id,
    contact_name: lead.contact_name,
    contact_ip: lead.contact_ip,
    is_server_ip: enquiry.personIp === null ? 1 : 0,
    cta_name: enquiry.form.ctaName,
    user_agent: lead.user_agent,
    site_key: lead.site_key,
    form_id: lead.form_id,
    is_primary_lead: known === undefined ? 1 : 0,
    is_duplicate_window: isDuplicate ? 1 : 0,
    is_bot_lead: lead.is_bot_lead,
    suspicion_score: lead.suspicion_score,
    suspicion_reasons: lead.suspicion_reasons,
    engagement_score: lead.engagement_score,
    engagement_label: lead.engagement_label,
    time_to_submit_ms: lead.time_to_submit_ms,
    crm_lead_id: null,
    search_text: keptSearchText(searched),
    held_above_risk: null,
  });
  return { submissionId, isDuplicate };
}

/**
 * Queues leads whose figures have to be updated. In SQLite a session that is stored later finds the lead by
 * its visitor; in PostgreSQL both may be stored concurrently, without seeing each other.
 */
async function noteFigures(
  { dialect }: Db,
  { lead, elsewhere }: Submission,
  leadId: number,
  known: KnownLead | undefined,
): Promise<void> {
  // A new lead has the figures of its visitor already; with one more submission, other leads of the person count it.
  const isStale = known !== undefined || (lead.visitor_id !== '' && dialect.kind === 'postgres');
  // One lock order, so that transactions cannot deadlock.
  const stale = isStale || elsewhere.length > 0 ? [leadId, ...elsewhere].sort((a, b) => a - b) : [];
  await dialect.insertRows(
    'lead_figure_changes',
    stale.map((lead_id) => ({ lead_id })),
    'do nothing',
  );
}

function blockSender(db: Db, { ip, at, geo, referer }: Enquiry): Promise<void> {
  return blockAddress(db, {
    ip,
    listed_at: at,
    country: geo.country ?? '',
    referer,
  });
}

/** Last: this row stays locked until the commit, and other transactions may need it. */
function countSubmission(db: Db, { lead }: Submission): Promise<void> {
  return addToTotals(db, {
    day: utcDay(lead.created_at),
    project_name: lead.project_name,
    source: lead.project_source,
    engagement_label: lead.engagement_label,
    submissions: 1,
    suspicion: lead.suspicion_score,
    engagement: lead.engagement_score,
    time_to_submit_ms: lead.time_to_submit_ms ?? 0,
    timed: lead.time_to_submit_ms === null ? 0 : 1,
  });
}
