import type { Enquiry } from '../../domain/leads/enquiry.ts';
import { isAllowedOrigin } from '../../domain/setup/site-domain.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import type { SetAsideLeadRow } from '../schema.ts';
import { setAside } from '../set-aside-leads.ts';
import { enrich } from './enrich.ts';
import { noteUse } from './integration-use.ts';
import { isSiteOrigin, type KnownSite, lookUpPerson, lookUpSender } from './look-up.ts';
import { submitLead } from './submit.ts';

/** A submission, with what the service says about it. */
export type Capture = {
  enquiry: Enquiry;
  /** Why it cannot be read; then there is nothing in it. */
  unreadable: Refusal | null;
  leadPublicId: string;
  submissionPublicId: string;
  /** Null: new leads are not forwarded. */
  sendPublicId: string | null;
  duplicateWindowMinutes: number;
  environment: string;
  botLeadDetection: boolean;
  isTrustedProxy: boolean;
};

export type Refusal = { code: ErrorCode; message: string };

/**
 * What became of a submission. Only a refusal shows: someone who is blocked must not see the difference from
 * a lead that was stored.
 */
export type CaptureOutcome = { isSiteOrigin: boolean } & (
  | { kind: 'rejected' }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'testing' }
  | { kind: 'stored'; leadId: number; isPrimary: boolean; isForwarded: boolean }
);

/** An integration shows when it was last used, and a honeypot blocks an address. */
const CHANGED = ['integrations', 'ip-lists', 'leads', 'sends', 'set-aside'] as const;

/** From the check of its sender to the stored lead, all at once or not at all. */
export const captureLead = write(
  { changes: CHANGED },
  async (db, capture: Capture): Promise<CaptureOutcome> => {
    const { enquiry } = capture;
    const sender = await lookUpSender(db, enquiry);
    const { rule, site, integration } = sender;
    const isOnSite = enquiry.page !== null && site !== null && isAllowedOrigin(enquiry.page, site.domains);
    const isFromSite = await isOriginOfAny(db, enquiry, isOnSite && site.enabled);

    if (rule?.list === 'blocked') {
      await keepAside(db, enquiry, 'rejected');
      return { kind: 'rejected', isSiteOrigin: isFromSite };
    }
    const refusal =
      capture.unreadable ??
      (enquiry.keyHash === null ? refusalOfForm(enquiry, site, isOnSite) : refusalOfServer(integration));
    if (refusal !== null) return { kind: 'refused', isSiteOrigin: isFromSite, refusal };
    if (rule?.usage === 'test') {
      await keepAside(db, enquiry, 'testing');
      await noteUse(db, integration, enquiry.at);
      return { kind: 'testing', isSiteOrigin: isFromSite };
    }
    const person = await lookUpPerson(db, enquiry, sender);
    const submission = enrich(capture, sender, person);
    return { kind: 'stored', isSiteOrigin: isFromSite, ...(await submitLead(db, submission)) };
  },
);

/** Nearly always it is the site that the form says it is on, so the others need not be read. */
async function isOriginOfAny(db: Db, { origin, page }: Enquiry, isPageOfSite: boolean): Promise<boolean> {
  if (origin === null) return false;
  return (isPageOfSite && page === origin) || isSiteOrigin(db, { origin });
}

/** A server shows its key… */
function refusalOfServer(integration: { enabled: boolean } | null): Refusal | null {
  return integration?.enabled ? null : { code: 'unauthorized', message: 'The API key is invalid.' };
}

/** …and a form the site and page it is on. */
function refusalOfForm({ form }: Enquiry, site: KnownSite | null, isOnSite: boolean): Refusal | null {
  const forbidden = (message: string): Refusal => ({ code: 'forbidden', message });
  if (form.siteKey === '' || form.formId === '') {
    return forbidden('Send siteKey and formId with the form, or an API key in X-API-Key.');
  }
  if (site === null || site.formEnabled === null) return forbidden('There is no such site or form.');
  if (!isOnSite) return forbidden('This domain is not allowed for the site.');
  return site.enabled && site.formEnabled ? null : forbidden('The site or the form is disabled.');
}

/** Keeps what does not become a lead where it can be looked at. */
async function keepAside(db: Db, enquiry: Enquiry, kind: SetAsideLeadRow['kind']): Promise<void> {
  const { form } = enquiry;
  await setAside(db, {
    kind,
    ip: enquiry.ip,
    received_at: enquiry.at,
    contact_email: form.email,
    contact_name: form.name,
    contact_phone: form.phone,
    contact_country_code: form.dialCode,
    project_name: form.project,
    source: form.source,
    referer: enquiry.referer,
    payload_json: enquiry.payloadJson,
    site_key: form.siteKey,
    form_id: form.formId,
  });
}
