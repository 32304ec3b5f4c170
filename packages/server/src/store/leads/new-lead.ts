import type { Risk } from '../../domain/leads/assess-risk.ts';
import { isTestLead } from '../../domain/leads/form-fields.ts';
import { attributionKeys, nameKey } from '../../domain/leads/lead-listing.ts';
import { searchLines, searchText } from '../../domain/leads/lead-search.ts';
import { engagementLabel } from '../../domain/tracking/engagement.ts';
import { SECOND_MS } from '../../lib/utc-time.ts';
import type { KnownPerson, KnownVisitor } from './look-up.ts';
import type { Capture, NewLead } from './submission.ts';

/** The lead as this submission alone makes it; for an existing lead, what it may learn. */
export function newLead(
  { enquiry, leadPublicId, acceptedAt }: Capture,
  visitor: KnownVisitor | null,
  { relatedProjects, elsewhere }: Pick<KnownPerson, 'relatedProjects' | 'elsewhere'>,
  risk: Risk,
): NewLead {
  const { at, form, geo } = enquiry;
  const searched = {
    contact_name: form.name,
    contact_email: form.email,
    contact_phone: form.phone,
    project_name: form.project,
    visitor_id: form.visitorId,
  };
  const figures = figuresOf(visitor);
  const keys = attributionKeys(form.source, form.campaign);
  // Column by column: spreading other objects into one of this size takes several times as long.
  return {
    lead_public_id: leadPublicId,
    project_key: enquiry.projectKey,
    project_name: form.project,
    project_location: form.location,
    project_source: form.source,
    source_team: form.team,
    contact_name: form.name,
    contact_email: form.email,
    contact_phone: form.phone,
    contact_country_code: form.dialCode,
    contact_country_name: geo.country ?? '',
    contact_city: geo.city ?? '',
    contact_region: geo.region ?? '',
    contact_region_code: geo.regionCode ?? '',
    contact_timezone: geo.timezone ?? '',
    contact_ip: enquiry.ip,
    user_agent: enquiry.userAgent,
    referer: enquiry.referer,
    keyword: form.keyword,
    message: form.message,
    campaign: JSON.stringify(form.campaign),
    site_key: form.siteKey,
    form_id: form.formId,
    visitor_id: form.visitorId,
    session_id: figures.session_id,
    engagement_score: figures.engagement_score,
    engagement_label: figures.engagement_label,
    pages_visited: figures.pages_visited,
    session_duration_s: figures.session_duration_s,
    return_visits: figures.return_visits,
    vpn_suspected: figures.vpn_suspected,
    suspicion_score: risk.score,
    suspicion_reasons: risk.reasons,
    time_to_submit_ms: form.timeToSubmitS === null ? null : Math.round(form.timeToSubmitS * SECOND_MS),
    is_bot_lead: risk.isBotLead ? 1 : 0,
    test_lead: isTestLead(form) ? 'yes' : 'no',
    related_projects: relatedProjects.join(', '),
    status: 'new',
    crm_lead_id: null,
    created_at: at,
    form_submit_count: 1 + elsewhere.submissions,
    follow_ups_count: 0,
    last_follow_up_at: null,
    seen_at: null,
    last_viewed_at: null,
    needs_review: 1,
    value_micros: null,
    shown_submission_id: 0,
    forgotten_submissions: 0,
    updated_at: acceptedAt ?? at,
    source_key: keys.source_key,
    campaign_key: keys.campaign_key,
    name_key: nameKey(form.name),
    search_text: searchText(searchLines(searched, enquiry.phone, enquiry.customFields)),
  };
}

/** A visitor's figures over all sessions. */
function figuresOf(visitor: KnownVisitor | null) {
  const score = visitor?.engagement_score ?? 0;
  return {
    session_id: visitor?.last_session_id ?? '',
    engagement_score: score,
    engagement_label: engagementLabel(score),
    pages_visited: visitor?.page_views ?? 0,
    session_duration_s: Math.round((visitor?.duration_ms ?? 0) / SECOND_MS),
    return_visits: Math.max((visitor?.session_count ?? 0) - 1, 0),
    vpn_suspected: visitor?.vpn_suspected ?? 0,
  };
}
