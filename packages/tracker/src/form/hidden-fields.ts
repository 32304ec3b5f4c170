import { type Campaign, campaign } from '../campaign.ts';
import { mayKeep } from '../privacy.ts';
import { read, VISITOR } from '../storage.ts';
import type { LeadForm } from './lead-form.ts';

let campaignAtLoad: Campaign = {};

/** To be called at once, for the form may be on a later page, and this page may change its address. */
export function noteCampaign(): void {
  campaignAtLoad = campaign();
}

/** Adds what the visitor does not type. What the page has filled in itself stays. */
export function fillIn(data: FormData, lead: LeadForm): void {
  // The service does not look at the case of names either.
  const filled = new Set([...data].filter(([, value]) => value).map(([name]) => name.toLowerCase()));
  for (const [name, value] of hiddenFields(lead)) {
    if (value && !filled.has(name.toLowerCase())) data.set(name, value);
  }
  // Constructed by hand or sent by a script, a form forgets which button was pressed.
  const submitter = lead.sending?.submitter;
  if (submitter?.name) data.append(submitter.name, submitter.value);
}

function hiddenFields({
  siteKey,
  formId,
  config,
  usableSinceMs,
}: LeadForm): [string, string | null | undefined][] {
  const now = campaign();
  const params = Object.keys(now).length > 0 ? now : campaignAtLoad;
  return [
    ['siteKey', siteKey],
    ['formId', formId],
    ['__visitor_id', mayKeep() ? read(VISITOR) : null],
    [config.time_field, `${Math.floor((performance.now() - usableSinceMs) / 1000)}`],
    ['PAGE_URL', location.href],
    ...config.campaign_params.map((name): [string, string | undefined] => [
      name,
      params[name.replace('__', '')],
    ]),
  ];
}
