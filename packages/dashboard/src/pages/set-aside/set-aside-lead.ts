import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { rejectedLeads } from '@leadtrail/contract/set-aside-leads';

/** An enquiry that did not become a lead. */
export type SetAsideLead = AnswerOf<typeof rejectedLeads>['blocked_ip_leads'][number];

export function nameOf({ contact_name, contact_email, contact_phone, ip }: SetAsideLead): string {
  return contact_name || contact_email || contact_phone || `Enquiry from ${ip}`;
}
