import { type AutomationPayload, automationPayload } from '../../domain/leads/automation-payload.ts';
import type { Enquiry } from '../../domain/leads/enquiry.ts';
import { chooseLead } from '../../domain/leads/lead-identity.ts';
import { nameKey } from '../../domain/leads/lead-listing.ts';
import { STORED_FIELDS, storedSearchText } from '../../domain/leads/lead-search.ts';
import { MINUTE_MS, utcDay } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import type { FlowSendRow, IpRuleRow, LeadRow, SubmissionTotalRow } from '../schema.ts';
import { noteChange } from './lead-index.ts';
import type { Submission } from './submission.ts';

export type Submitted = { leadId: number; isPrimary: boolean; isForwarded: boolean };

/** The lead a submission belongs to, its history and everything that follows from it. */
export async function submitLead(db: Db, submission: Submission): Promise<Submitted> {
  const known = await readKnownLead(db, submission);
  const leadId = known?.lead_id ?? (await db.dialect.insertNumbered('leads', submission.lead));
  await learnIdentities(db, submission, leadId);
  if (known !== undefined) await followUp(db, submission, known);
  await noteChange(db, leadId);
  const submissionId = await addSubmission(db, submission, leadId, known);
  const isForwarded = known === undefined && (await addSend(db, submission, leadId, submissionId));
  if (submission.isBlocked) await blockAddress(db, submission.capture.enquiry);
  await countSubmission(db, submission);
  return { leadId, isPrimary: known === undefined, isForwarded };
}

type KnownLead = Pick<
  LeadRow,
  | 'contact_name'
  | 'contact_email'
  | 'contact_phone'
  | 'contact_country_code'
  | 'contact_country_name'
  | 'project_name'
  | 'visitor_id'
  | 'search_text'
  | 'suspicion_score'
  | 'suspicion_reasons'
  | 'created_at'
  | 'last_follow_up_at'
> & { lead_id: number };

async function readKnownLead({ dialect }: Db, { capture, held }: Submission): Promise<KnownLead | undefined> {
  const leadId = chooseLead(
    capture.enquiry.identities,
    ({ kind }) => held.find((each) => each.kind === kind)?.lead_id,
  );
  if (leadId === undefined) return undefined;
  // Locked: another submission may reach the same lead by another identity.
  const [known] = await dialect.selectHeld<KnownLead>(
    `select lead_id, contact_name, contact_email, contact_phone, contact_country_code, contact_country_name,
      project_name, visitor_id, search_text, suspicion_score, suspicion_reasons, created_at, last_follow_up_at
    from leads where lead_id = ?`,
    [leadId],
  );
  return known;
}

/** An identity that another lead of the project holds stays with that lead. */
async function learnIdentities(
  { dialect }: Db,
  { capture, held, lead }: Submission,
  leadId: number,
): Promise<void> {
  const rows = capture.enquiry.identities
    .filter(({ kind }) => held.every((each) => each.kind !== kind))
    .map(({ kind, value }) => ({ kind, value, project_key: lead.project_key, lead_id: leadId }));
  await dialect.insertRows('lead_identities', rows, 'do nothing');
}

/** The lead learns what it did not know, carries its visitor's latest figures and keeps its worst suspicion. */
async function followUp({ dialect }: Db, { lead }: Submission, known: KnownLead): Promise<void> {
  const isWorse = lead.suspicion_score > known.suspicion_score;
  const searched = {
    contact_name: known.contact_name || lead.contact_name,
    contact_email: known.contact_email || lead.contact_email,
    contact_phone: known.contact_phone || lead.contact_phone,
    contact_country_code: known.contact_country_code || lead.contact_country_code,
    contact_country_name: known.contact_country_name,
    project_name: known.project_name,
    visitor_id: lead.visitor_id || known.visitor_id,
  };
  // Parsing the phone number again is slow, and most follow-ups change nothing that is searched.
  const isSearchedAsBefore = STORED_FIELDS.every((field) => searched[field] === known[field]);
  const learned = [
    lead.created_at,
    searched.contact_name,
    searched.contact_email,
    searched.contact_phone,
    nameKey(searched.contact_name),
    isSearchedAsBefore ? known.search_text : storedSearchText(searched),
    searched.contact_country_code,
    isWorse ? lead.suspicion_score : known.suspicion_score,
    isWorse ? lead.suspicion_reasons : known.suspicion_reasons,
  ];
  if (lead.visitor_id === '') await dialect.run(UPDATE_LEAD, [...learned, known.lead_id]);
  else {
    const figures = VISITOR_FIGURES.map((column) => lead[column]);
    await dialect.run(UPDATE_LEAD_AND_VISITOR, [...learned, ...figures, known.lead_id]);
  }
}

const VISITOR_FIGURES = [
  'visitor_id',
  'session_id',
  'engagement_score',
  'engagement_label',
  'pages_visited',
  'session_duration_s',
  'return_visits',
  'vpn_suspected',
] as const;

const LEARNED = `form_submit_count = form_submit_count + 1, follow_ups_count = follow_ups_count + 1,
  needs_review = 1, last_follow_up_at = ?, contact_name = ?, contact_email = ?, contact_phone = ?,
  name_key = ?, search_text = ?, contact_country_code = ?, suspicion_score = ?, suspicion_reasons = ?`;
const UPDATE_LEAD = `update leads set ${LEARNED} where lead_id = ?`;
const FIGURES = VISITOR_FIGURES.map((column) => `${column} = ?`).join(', ');
const UPDATE_LEAD_AND_VISITOR = `update leads set ${LEARNED}, ${FIGURES} where lead_id = ?`;

function addSubmission(
  { dialect }: Db,
  { capture, lead }: Submission,
  leadId: number,
  known: KnownLead | undefined,
): Promise<number> {
  const { enquiry, submissionPublicId, duplicateWindowMinutes } = capture;
  const previousAt = known?.last_follow_up_at ?? known?.created_at ?? Number.NEGATIVE_INFINITY;
  const isDuplicate = enquiry.at - previousAt < duplicateWindowMinutes * MINUTE_MS;
  return dialect.insertNumbered('submissions', {
    lead_submission_public_id: submissionPublicId,
    lead_id: leadId,
    submitted_at: enquiry.at,
    project_name: lead.project_name,
    visitor_id: lead.visitor_id,
    session_id: lead.session_id,
    contact_name: lead.contact_name,
    contact_email: lead.contact_email,
    contact_phone: lead.contact_phone,
    contact_ip: lead.contact_ip,
    source: lead.project_source,
    referer: lead.referer,
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
    payload_json: enquiry.payloadJson,
  });
}

async function addSend(
  { dialect }: Db,
  { capture, lead }: Submission,
  leadId: number,
  submissionId: number,
): Promise<boolean> {
  const { enquiry, sendPublicId, submissionPublicId, environment } = capture;
  if (sendPublicId === null || lead.is_bot_lead === 1) return false;
  const payload: AutomationPayload = {
    ...automationPayload(lead, enquiry.phone, environment),
    lead_id: leadId,
    lead_public_id: lead.lead_public_id,
    lead_submission_id: submissionId,
    lead_submission_public_id: submissionPublicId,
    flow_send_public_id: sendPublicId,
  };
  const send: FlowSendRow = {
    flow_send_public_id: sendPublicId,
    lead_id: leadId,
    submission_id: submissionId,
    status: 'pending',
    attempts: 0,
    round_attempts: 0,
    next_attempt_at: enquiry.at,
    claimed_until: 0,
    last_status_code: null,
    last_result: null,
    last_error: null,
    created_at: enquiry.at,
    delivered_at: null,
    flow_execution_url: null,
    flow_execution_id: null,
    flow_execution_status: null,
    callback: null,
    body: JSON.stringify(payload),
  };
  await dialect.insertRows('flow_sends', [send], 'do nothing');
  return true;
}

/** Never takes an address off the whitelist. */
async function blockAddress({ dialect }: Db, { ip, at, geo, referer }: Enquiry): Promise<void> {
  const rule: IpRuleRow = {
    ip,
    list: 'blocked',
    listed_at: at,
    reason: 'Honeypot',
    country: geo.country ?? '',
    referer,
    note: '',
    usage: 'internal',
  };
  await dialect.insertRows('ip_rules', [rule], 'do nothing');
}

/** Last, because this row is locked until the commit and every submission of the project needs it. */
async function countSubmission({ dialect }: Db, { lead }: Submission): Promise<void> {
  const total: SubmissionTotalRow = {
    day: utcDay(lead.created_at),
    project_name: lead.project_name,
    source: lead.project_source,
    engagement_label: lead.engagement_label,
    submissions: 1,
    suspicion: lead.suspicion_score,
    engagement: lead.engagement_score,
    time_to_submit_ms: lead.time_to_submit_ms ?? 0,
    timed: lead.time_to_submit_ms === null ? 0 : 1,
  };
  await dialect.insertRows(
    'submission_totals',
    [total],
    `(day, project_name, source, engagement_label) do update set
      submissions = submission_totals.submissions + excluded.submissions,
      suspicion = submission_totals.suspicion + excluded.suspicion,
      engagement = submission_totals.engagement + excluded.engagement,
      time_to_submit_ms = submission_totals.time_to_submit_ms + excluded.time_to_submit_ms,
      timed = submission_totals.timed + excluded.timed`,
  );
}
