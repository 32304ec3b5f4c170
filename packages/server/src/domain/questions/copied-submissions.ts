import type { Attribution } from '@leadtrail/contract/question-fields';
import { isDirect, touchesOf } from '../leads/touches.ts';
import type { CampaignParams } from '../tracking/campaign-params.ts';
import { type VisitOrigin, visitOrigin } from '../tracking/visit-origin.ts';
import { type CopiedSession, NO_CLICK_ID, NONE, nameKey, visitTexts } from './copied-rows.ts';
import type { CopiedRow, VisitTexts } from './copied-tables.ts';
import { UNKNOWN } from './dimensions.ts';

/** Rows of the columnar copy for submissions: one for each touch that brought one. */

/** What is read from a lead. */
export type CopiedLead = {
  lead_id: number;
  status: string;
  is_bot_lead: number;
  created_at: number;
  shown_submission_id: number;
  value_micros: number | null;
  /** Whether it has ever been qualified or further, and when it was first responded to. */
  reached: boolean;
  answered_at: number | null;
  /** All visitor ids of the lead. */
  visitors: readonly string[];
  submissions: readonly CopiedSubmission[];
};

export type CopiedSubmission = {
  submission_id: number;
  submitted_at: number;
  visitor_id: string;
  project_name: string;
  source: string;
  site_key: string;
  form_id: string;
  is_primary_lead: number;
  /** Campaign parameters of the form itself. */
  params: CampaignParams;
};

export type AttributionSetup = { days: number; portalDomains: readonly string[] };

/** Rows of all submissions of a lead; `visits` are those of its visitors. */
export function submissionRows(
  lead: CopiedLead,
  visits: readonly CopiedSession[],
  setup: AttributionSetup,
): CopiedRow<'submissions'>[] {
  const shown = shownSubmission(lead);
  return lead.submissions.flatMap((submission) => {
    const isLead = submission === shown;
    const own = visits.filter(({ visitor_id }) => visitor_id === submission.visitor_id);
    // The person may have visited on other devices before.
    const all = isLead ? visits.filter(({ visitor_id }) => isOf(lead, submission, visitor_id)) : own;
    const common = {
      happened_at: submission.submitted_at,
      submission_id: submission.submission_id,
      lead_id: lead.lead_id,
      lead_at: isLead ? lead.created_at : null,
      is_bot: lead.is_bot_lead,
      stage: lead.status,
      qualified: lead.reached ? 1 : 0,
      value_micros: lead.value_micros,
      response_ms: lead.answered_at === null ? null : Math.max(lead.answered_at - lead.created_at, 0),
      form: submission.form_id || NONE,
      project: submission.project_name || NONE,
      project_key: nameKey(submission.project_name || NONE),
      form_source: submission.source || NONE,
      form_source_key: nameKey(submission.source || NONE),
    };
    return attributedTexts(submission, { own, all }, setup).map(({ shares, texts }) => ({
      ...common,
      ...shares,
      ...texts,
    }));
  });
}

function isOf(lead: CopiedLead, submission: CopiedSubmission, visitorId: string): boolean {
  return visitorId === submission.visitor_id || lead.visitors.includes(visitorId);
}

/** The submission whose details the lead shows: a person's before a bot's. */
export function shownSubmission({
  submissions,
  shown_submission_id,
}: CopiedLead): CopiedSubmission | undefined {
  return (
    submissions.find(({ submission_id }) => submission_id === shown_submission_id) ??
    submissions.find(({ is_primary_lead }) => is_primary_lead === 1) ??
    submissions[0]
  );
}

type Shares = Record<`${Attribution}_share`, number>;
type Attributed = { shares: Shares; texts: VisitTexts & { touch_site: string } };

/** Each touch has its own origin, and everything else from the visit in which the form was sent. */
function attributedTexts(
  submission: CopiedSubmission,
  { own, all: visits }: { own: readonly CopiedSession[]; all: readonly CopiedSession[] },
  { days, portalDomains }: AttributionSetup,
): Attributed[] {
  const { submitted_at: at } = submission;
  const touches = touchesOf(visits, at, days);
  const latest = latestBefore(visits, at, days);
  // With visits on several sites of the workspace, the form was sent in the latest on its own.
  const ofSite = own.filter(({ site_key }) => site_key === submission.site_key);
  const visit = latestBefore(ofSite, at, days) ?? latestBefore(own, at, days) ?? latest;
  if (latest === undefined || visit === undefined)
    return [{ shares: WHOLE, texts: withoutVisit(submission, portalDomains) }];
  const lastNonDirect = touches.findLast((touch) => !isDirect(touch)) ?? latest;
  const shared = touches.includes(latest) ? touches : [...touches, latest];
  return shared.map((touch) => ({
    shares: {
      last_non_direct_share: touch === lastNonDirect ? 1 : 0,
      last_share: touch === latest ? 1 : 0,
      first_share: touch === touches[0] ? 1 : 0,
      linear_share: touches.includes(touch) ? 1 / touches.length : 0,
    },
    texts: { ...visitTexts(visit), ...originTexts(visitTexts(touch)) },
  }));
}

const WHOLE: Shares = { last_non_direct_share: 1, last_share: 1, first_share: 1, linear_share: 1 };

function latestBefore(visits: readonly CopiedSession[], at: number, days: number): CopiedSession | undefined {
  // Without a channel no visit counts as direct, so none is left out.
  return touchesOf(
    visits.map((visit) => ({
      visit,
      session_id: visit.session_id,
      started_at: visit.started_at,
      channel: '',
    })),
    at,
    days,
  ).at(-1)?.visit;
}

function originTexts(texts: VisitTexts) {
  const { channel, source, medium, campaign, campaign_key, term, term_key, content, content_key } = texts;
  const { referrer, click_id, entry_page, site: touch_site } = texts;
  const origin = { channel, source, medium, campaign, campaign_key, term, term_key, content, content_key };
  return { ...origin, referrer, click_id, entry_page, touch_site };
}

/** What the form itself says; the rest is unknown. */
function withoutVisit(
  { params, site_key }: CopiedSubmission,
  portalDomains: readonly string[],
): Attributed['texts'] {
  const isTagged = Object.values(params).some((value) => value !== undefined && value !== '');
  const origin: Omit<VisitOrigin, 'channel' | 'click_id'> & { channel: string; click_id: string } = isTagged
    ? visitOrigin(params, '', portalDomains)
    : NO_ORIGIN;
  return {
    ...NO_VISIT,
    site: site_key || UNKNOWN,
    touch_site: site_key || UNKNOWN,
    channel: origin.channel,
    source: origin.source,
    medium: origin.medium,
    campaign: origin.campaign,
    campaign_key: nameKey(origin.campaign),
    term: origin.term,
    term_key: nameKey(origin.term),
    content: origin.content,
    content_key: nameKey(origin.content),
    click_id: isTagged ? origin.click_id || NO_CLICK_ID : UNKNOWN,
  };
}

const NO_ORIGIN = {
  channel: UNKNOWN,
  source: UNKNOWN,
  medium: UNKNOWN,
  campaign: UNKNOWN,
  term: UNKNOWN,
  content: UNKNOWN,
  click_id: UNKNOWN,
};
const NO_VISIT = {
  referrer: UNKNOWN,
  entry_page: UNKNOWN,
  exit_page: UNKNOWN,
  country: UNKNOWN,
  region: UNKNOWN,
  city: UNKNOWN,
  device: UNKNOWN,
  browser: UNKNOWN,
  os: UNKNOWN,
  language: UNKNOWN,
  visitor_type: UNKNOWN,
};
