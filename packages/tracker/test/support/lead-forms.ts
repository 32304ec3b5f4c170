import type { Lead, LeadSubmission } from '@leadtrail/contract/lead-records';
import { aForm, aSite } from '@leadtrail/testing/management';
import type { TestService } from '@leadtrail/testing/service';
import type { z } from 'zod';
import { aPage } from './site.ts';

/** A customer's form, the pages it stands on, and what of it has reached the service. */

export const SITE_KEY = 'landing';
export const FORM_ID = 'enquiry';
/** Of a site whose forms may not be sent from the test pages. */
export const ELSEWHERE = { site: 'elsewhere', form: 'elsewhere-form' };

export async function setUpForms(service: TestService): Promise<void> {
  await aSite(service, { site_key: SITE_KEY, domains: ['localhost'] });
  for (const form_id of [FORM_ID, 'callback']) await aForm(service, { site_key: SITE_KEY, form_id });
  await aSite(service, { site_key: ELSEWHERE.site, domains: ['elsewhere.example'] });
  await aForm(service, { site_key: ELSEWHERE.site, form_id: ELSEWHERE.form });
}

export const FIELDS = `
  <label>Name <input name="FIRSTNAME" required></label>
  <label>E-mail <input name="EMAIL" type="email" required></label>
  <label>Message <textarea name="USER_MESSAGE"></textarea></label>
  <button>Send</button>`;
/** What a form needs to be taken without any script. */
export const KEYS = `
  <input type="hidden" name="siteKey" value="${SITE_KEY}"><input type="hidden" name="formId" value="${FORM_ID}">`;

type FormParts = {
  formId?: string;
  siteKey?: string | null;
  action?: string | null;
  attributes?: string;
  fields?: string;
};

export function aLeadForm(service: { url: string }, parts: FormParts = {}): string {
  const { formId = FORM_ID, siteKey = SITE_KEY, action = `${service.url}/lead.capture` } = parts;
  const { attributes = '', fields = FIELDS } = parts;
  return `<form data-leadtrail-form="${formId}" method="post"
    ${siteKey === null ? '' : `data-site="${siteKey}"`} ${action === null ? '' : `action="${action}"`}
    ${attributes}>${fields}</form>`;
}

export function formScript(service: { url: string }, attributes = ''): string {
  return `<script async src="${service.url}/f.js" data-site="${SITE_KEY}" ${attributes}></script>`;
}

export function trackerScript(service: { url: string }): string {
  return `<script async src="${service.url}/t.js" data-site="${SITE_KEY}"></script>`;
}

/** Without a sign of where it comes from the service knows no thank-you page. */
export const NO_REFERRER = '<meta name="referrer" content="no-referrer">';

/** A page with one form and the script. */
export function aFormPage(
  service: { url: string },
  { head = '', tag = '', ...parts }: FormParts & { head?: string; tag?: string } = {},
): string {
  return aPage({ head: head + formScript(service, tag), body: aLeadForm(service, parts) });
}

export type Sent = {
  payload: Record<string, unknown>;
  submission: z.output<typeof LeadSubmission>;
  lead: Lead;
};

/** Every form that was taken, the first one first. */
export async function sentForms(service: TestService): Promise<Sent[]> {
  const recent = await service.get<{ lead_id: number }[]>('/analytics/leads/recent-submissions');
  const leads = [...new Set(recent.map(({ lead_id }) => lead_id))];
  const details = await Promise.all(
    leads.map((id) =>
      service.get<{ lead: Lead; submissions: Sent['submission'][] }>(`/analytics/leads/${id}`),
    ),
  );
  return details
    .flatMap(({ lead, submissions }) =>
      submissions.map((submission) => ({ lead, submission, payload: JSON.parse(submission.payload_json) })),
    )
    .sort((a, b) => a.submission.submission_id - b.submission.submission_id);
}
