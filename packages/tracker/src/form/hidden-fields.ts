import { type Campaign, campaign } from '../campaign.ts';
import { mayKeep } from '../privacy.ts';
import { read, TOUCHES, VISITOR } from '../storage.ts';
import { extras } from './extras.ts';
import type { LeadForm } from './lead-form.ts';

export const SUBMISSION_ID = '__submission_id';

let campaignAtLoad: Campaign = {};

/** Called at load: the form may be on a later page, and this page's address may change. */
export function noteCampaign(): void {
  campaignAtLoad = campaign();
}

/** Adds the hidden fields, except those that the page has filled in. */
export function fillIn(data: FormData, lead: LeadForm): void {
  // Field names are case-insensitive.
  const filled = new Set([...data].filter(([, value]) => value).map(([name]) => name.toLowerCase()));
  for (const [name, value] of hiddenFields(lead)) {
    if (value && !filled.has(name.toLowerCase())) data.set(name, value);
  }
  // `new FormData(form)` and `form.submit()` leave out the pressed button.
  const submitter = lead.sending?.submitter;
  if (submitter?.name) data.append(submitter.name, submitter.value);
}

function hiddenFields({
  form,
  siteKey,
  formId,
  config,
  usableSinceMs,
  sending,
  submissionId,
}: LeadForm): [string, string | null | undefined][] {
  const now = campaign();
  const params = Object.keys(now).length > 0 ? now : campaignAtLoad;
  return [
    ['siteKey', siteKey],
    ['formId', formId],
    ['__visitor_id', mayKeep() ? read(VISITOR) : null],
    ['__touches', mayKeep() ? read(TOUCHES) : null],
    ...(extras.fieldsOf?.(form, mayKeep()) ?? []),
    // Not for `new FormData(form)` by the page, which may send different fields under the same id.
    [SUBMISSION_ID, sending && submissionId],
    [config.time_field, `${Math.floor((performance.now() - usableSinceMs) / 1000)}`],
    ['PAGE_URL', location.href],
    ...config.campaign_params.map((name): [string, string | undefined] => [
      name,
      params[name.replace('__', '')],
    ]),
  ];
}
