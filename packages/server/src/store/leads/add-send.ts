import { attributionOf, forwardedOrigin } from '../../domain/leads/attribution.ts';
import { type AutomationPayload, automationPayload } from '../../domain/leads/automation-payload.ts';
import { formCampaign, formVisits } from '../../domain/leads/form-touches.ts';
import type { Identity } from '../../domain/leads/lead-identity.ts';
import { touchesOf } from '../../domain/leads/touches.ts';
import { makeReadOrigin } from '../../domain/tracking/read-origin.ts';
import type { Db } from '../dialect.ts';
import { insertFlowSend } from '../flow-sends/insert.ts';
import { figuresOf, visitorsOf } from './figures.ts';
import type { AddedSubmission, KnownLead, Relation, Submission } from './submission.ts';
import { visitsOfLead, visitsOfVisitor } from './touches.ts';

export type StoredSubmission = AddedSubmission & {
  leadId: number;
  relation: Relation;
  known: KnownLead | undefined;
};

/** Adds a pending send if the submission is to be forwarded; returns whether it did. */
export async function addSend(db: Db, submission: Submission, stored: StoredSubmission): Promise<boolean> {
  const { capture, lead } = submission;
  const { enquiry, sendPublicId } = capture;
  if (sendPublicId === null || lead.is_bot_lead === 1) return false;
  const carried = contactsOf(enquiry.identities);
  const isFollowUp = stored.relation === 'follow_up';
  if (isFollowUp && !(await isFollowUpSent(db, submission, stored.leadId, carried))) return false;
  if (capture.sendRiskMax !== null && lead.suspicion_score > capture.sendRiskMax) {
    await holdBack(db, stored.submissionId, capture.sendRiskMax);
    return false;
  }
  const [shown, origin] = await Promise.all([
    shownLead(db, submission, stored),
    originOf(db, submission, stored),
  ]);
  await insertSend(
    db,
    {
      ...automationPayload(shown, enquiry.phone, capture.environment),
      is_follow_up: isFollowUp,
      is_duplicate: isFollowUp && stored.isDuplicate,
      lead_id: stored.leadId,
      lead_public_id: stored.known?.lead_public_id ?? lead.lead_public_id,
      lead_submission_id: stored.submissionId,
      lead_submission_public_id: capture.submissionPublicId,
      flow_send_public_id: sendPublicId,
      ...origin,
    },
    { carried, at: enquiry.at },
  );
  return true;
}

/** The submission as it is forwarded. A follow-up has its own contact details, and the figures of the lead. */
async function shownLead(db: Db, { lead }: Submission, { leadId, relation, known }: StoredSubmission) {
  if (known === undefined) return lead;
  const counted = { ...lead, status: known.status, form_submit_count: known.form_submit_count + 1 };
  // What bots submitted before says nothing about the person.
  if (relation === 'takeover') return counted;
  const figures = figuresOf(await visitorsOf(db, [leadId]));
  return { ...counted, ...figures, contact_name: lead.contact_name || known.contact_name };
}

/** Kept, so that the lead shows why it was not forwarded. It can still be sent by hand. */
async function holdBack({ dialect }: Db, submissionId: number, riskMax: number): Promise<void> {
  await dialect.run('update submissions set held_above_risk = ? where submission_id = ?', [
    riskMax,
    submissionId,
  ]);
}

/** Except for a follow-up, the visitor of this submission is the only one of the lead. */
async function originOf(
  db: Db,
  { capture, lead, visitorNo, siteDomains }: Submission,
  stored: StoredSubmission,
) {
  const { enquiry, attributionDays: days, portalDomains } = capture;
  const { form, at, referer } = enquiry;
  const visits =
    stored.relation === 'follow_up'
      ? await visitsOfLead(db, { lead_id: stored.leadId, enquiry_at: at }, days)
      : await (visitorNo === null ? [] : visitsOfVisitor(db, visitorNo, at, days));
  const sites = [{ site_key: form.siteKey, domains: siteDomains }];
  const known =
    visits.length > 0 ? visits : formVisits(form, referer, at, makeReadOrigin({ sites, portalDomains }));
  const touches = touchesOf(known, at, days);
  return forwardedOrigin(
    attributionOf(formCampaign(form.campaign, referer), touches, portalDomains),
    touches,
    {
      ctaName: form.ctaName,
      siteKey: lead.site_key,
      formId: lead.form_id,
      page: referer,
      fields: enquiry.customFields,
    },
  );
}

export function insertSend(
  db: Db,
  payload: AutomationPayload,
  { carried, at }: { carried: readonly string[]; at: number },
): Promise<void> {
  const { lead_id: leadId, lead_submission_id: submissionId } = payload;
  return insertFlowSend(db, { event: 'lead', leadId, submissionId, carried, at, body: payload });
}

/** The details by which a person can be reached. */
export function contactsOf(identities: readonly Identity[]): string[] {
  return identities.filter(({ kind }) => kind === 'email' || kind === 'phone').map(({ value }) => value);
}

async function isFollowUpSent(
  { dialect }: Db,
  { capture, held }: Submission,
  leadId: number,
  contacts: readonly string[],
): Promise<boolean> {
  if (capture.sendFollowUps !== 'new_details') return capture.sendFollowUps === 'always';
  if (contacts.length === 0) return false;
  const sends = await dialect.run<{ carried: string | null }>(
    'select carried from flow_sends where lead_id = ?',
    [leadId],
  );
  // Sends from before `carried` was kept: assume that they carried all identities of the lead.
  const isOld = sends.some(({ carried }) => carried === null);
  const known = isOld ? held.filter(({ lead_id }) => lead_id === leadId).map(({ value }) => value) : [];
  const sent = new Set([...known, ...sends.flatMap(({ carried }) => JSON.parse(carried ?? '[]'))]);
  return contacts.some((contact) => !sent.has(contact));
}
