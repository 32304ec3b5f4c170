import { isAllowedOrigin } from '../setup/site-domain.ts';
import type { Enquiry } from './enquiry.ts';

export type IpRule = { list: 'blocked' | 'whitelisted'; usage: 'test' | 'internal' };

/** What is known of the sender of an enquiry. */
export type SenderFacts = {
  /** Block list or whitelist entries for the address of the request, and for the person's. */
  callerRule: IpRule | null;
  personRule: IpRule | null;
  /** The site that the form names; `formEnabled` is null where the site has no such form. */
  site: { enabled: boolean; domains: readonly string[]; formEnabled: boolean | null } | null;
  /** The integration that the API key belongs to. */
  integration: { enabled: boolean } | null;
};

export type RefusalReason =
  | 'invalid_idempotency_key'
  | 'idempotency_key_reused'
  | 'unreadable'
  | 'invalid_key'
  | 'no_credentials'
  | 'unknown_form'
  | 'domain_not_allowed'
  | 'disabled'
  | 'spam_check_failed';

export type CaptureDecision =
  | { kind: 'rejected' }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'testing' }
  | { kind: 'accepted' };

/**
 * A blocked caller is decided first, so that no answer reveals the block. CLIENT_IP counts only after the key
 * of the server has been verified.
 */
export function decideCapture(enquiry: Enquiry, sender: SenderFacts): CaptureDecision {
  if (sender.callerRule?.list === 'blocked') return { kind: 'rejected' };
  const reason = refusalReason(enquiry, sender);
  if (reason !== null) return { kind: 'refused', reason };
  const rule = enquiry.personIp === null ? sender.callerRule : sender.personRule;
  if (rule?.list === 'blocked') return { kind: 'rejected' };
  const isTesting = rule?.usage === 'test';
  if (enquiry.spamCheck === 'refused' && !isTesting) return { kind: 'refused', reason: 'spam_check_failed' };
  if (enquiry.unwanted) return { kind: 'rejected' };
  return { kind: isTesting ? 'testing' : 'accepted' };
}

function refusalReason(enquiry: Enquiry, { site, integration }: SenderFacts): RefusalReason | null {
  if (enquiry.keyHash !== null && !integration?.enabled) return 'invalid_key';
  if (!enquiry.isReadable) return 'unreadable';
  if (enquiry.idempotency?.isUsable === false) return 'invalid_idempotency_key';
  if (enquiry.keyHash !== null) return null;
  if (enquiry.form.siteKey === '' || enquiry.form.formId === '') return 'no_credentials';
  if (site === null || site.formEnabled === null) return 'unknown_form';
  if (!isOnSite(enquiry, site)) return 'domain_not_allowed';
  return site.enabled && site.formEnabled ? null : 'disabled';
}

/** Whether the page that sent the form is on one of the site's domains. */
export function isOnSite({ page }: Enquiry, site: SenderFacts['site']): boolean {
  return page !== null && site !== null && isAllowedOrigin(page, site.domains);
}
