import { assessRisk } from '../../domain/leads/assess-risk.ts';
import {
  type CaptureDecision,
  decideCapture,
  isOnSite,
  type RefusalReason,
} from '../../domain/leads/decide-capture.ts';
import { type Enquiry, senderToKeep } from '../../domain/leads/enquiry.ts';
import { unavailable } from '../../lib/errors.ts';
import { rateLimitKey } from '../../lib/ip-address.ts';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import type { SetAsideLeadRow } from '../schema.ts';
import { type SetAsideLead, setAside, setAsideAlways } from '../set-aside-leads.ts';
import { type AnsweredIds, findAnswer, rememberAnswer } from './idempotency.ts';
import { noteUse } from './integration-use.ts';
import {
  findHeld,
  type HeldIdentity,
  isSiteOrigin,
  type KnownSender,
  lookUpPerson,
  lookUpSender,
  personLocks,
} from './look-up.ts';
import { newLead } from './new-lead.ts';
import type { Capture } from './submission.ts';
import { type Submitted, submitLead } from './submit.ts';

/** Only a refusal is shown to the sender: a blocked one must not notice that its lead is set aside. */
export type CaptureOutcome = { isSiteOrigin: boolean } & (Kept | { kind: 'refused'; reason: RefusalReason });
type Kept =
  | ({ kind: 'rejected' | 'testing' } & KeptAside & AnsweredIds)
  | ({ kind: 'stored' } & Submitted)
  | ({ kind: 'repeated' } & AnsweredIds);
/** False: the client has reached its daily limit of set-aside leads. */
type KeptAside = { isKept: boolean };

/** An integration shows when it was last used, and a honeypot blocks an address. */
export const CAPTURE_CHANGES = ['integrations', 'ip-lists', 'leads', 'sends', 'set-aside'] as const;

/** Look up, decide, apply: from the check of the sender to the stored lead in one transaction. */
export const captureLead = write(
  {
    changes: CAPTURE_CHANGES,
    // Not with an idempotency key: that may wait for another request before it locks the person.
    locks: ({ enquiry }: Capture) => (enquiry.idempotency === null ? personLocks(enquiry) : undefined),
  },
  async (db, capture: Capture): Promise<CaptureOutcome> => {
    const { enquiry } = capture;
    refuseLate(capture);
    const [sender, held] = await Promise.all([
      // A logged lead was answered before its address was blocked.
      lookUpSender(db, enquiry, capture.isLogged && enquiry.at),
      enquiry.idempotency === null ? findHeld(db, enquiry) : undefined,
    ]);
    const readable = { isSiteOrigin: await mayReadAnswer(db, enquiry, sender) };
    // Its commit may have succeeded unnoticed, and blocked its own address since.
    const stored = capture.isLogged && (await findSubmitted(db, capture));
    if (stored) return { ...readable, kind: 'stored', ...stored };
    const decision = acceptIfLogged(capture, decideCapture(enquiry, sender));
    if (decision.kind === 'refused') {
      const before = isSpentToken(capture, decision) && (await findSubmitted(db, capture));
      return before ? { ...readable, kind: 'repeated', ...before } : { ...readable, ...decision };
    }
    const asked = keyedRequest(enquiry, sender);
    const answer = asked && (await findAnswer(db, asked));
    if (answer === 'other_body' && !capture.isLogged) {
      return { ...readable, kind: 'refused', reason: 'idempotency_key_reused' };
    }
    if (answer !== null && answer !== 'other_body') return { ...readable, kind: 'repeated', ...answer };
    const outcome = await keep(db, capture, decision.kind, sender, held);
    if (asked !== null && answer === null) await rememberAnswer(db, asked, outcome);
    refuseLate(capture);
    return { ...readable, ...outcome };
  },
);

/** Sets aside a lead of the lead log that cannot be stored: there it can be seen and accepted. */
export const setAsideLogged = write(
  { changes: CAPTURE_CHANGES },
  async (db, capture: Capture): Promise<CaptureOutcome> => {
    // Without the daily limit: each was answered as a lead.
    if (!(await isKeptAside(db, capture))) await setAsideAlways(db, asideOf(capture, 'rejected'));
    const { leadPublicId, submissionPublicId } = capture;
    return { kind: 'rejected', isSiteOrigin: false, isKept: true, leadPublicId, submissionPublicId };
  },
);

/** Its sender has got another answer by now, or none. */
function refuseLate({ deadline }: Capture): void {
  if (deadline !== undefined && Date.now() > deadline)
    throw unavailable('The lead could not be stored in time.');
}

function acceptIfLogged({ isLogged }: Capture, decision: CaptureDecision): CaptureDecision {
  return isLogged && decision.kind === 'refused' ? { kind: 'accepted' } : decision;
}

/**
 * A token is valid once: a form that is resent because its response was lost fails the check, but was
 * accepted before.
 */
function isSpentToken({ mayBeRepeated }: Capture, { reason }: { reason: RefusalReason }): boolean {
  return mayBeRepeated === true && reason === 'spam_check_failed';
}

async function keep(
  db: Db,
  capture: Capture,
  kind: 'rejected' | 'testing' | 'accepted',
  sender: KnownSender,
  held: readonly HeldIdentity[] | undefined,
): Promise<Kept> {
  if (kind === 'accepted') {
    const stored = await storeLead(db, capture, sender, held);
    return { ...stored.submitted, kind: stored.wasStored && !capture.isLogged ? 'repeated' : 'stored' };
  }
  const isKept = await keepAside(db, capture, kind);
  if (kind === 'testing') await noteUse(db, sender.integration, capture.enquiry.at);
  // Ids like those of a lead, and its real ones if it is accepted later.
  const { leadPublicId, submissionPublicId } = capture;
  return { kind, isKept, leadPublicId, submissionPublicId };
}

/** Null: without a usable idempotency key of an enabled integration. */
function keyedRequest({ idempotency, at }: Enquiry, { integration }: KnownSender) {
  if (idempotency === null || !idempotency.isUsable || !integration?.enabled) return null;
  return { integrationId: integration.id, idempotency, at };
}

type Stored = { submitted: Submitted; wasStored: boolean };

export async function storeLead(
  db: Db,
  capture: Capture,
  sender: KnownSender,
  held?: readonly HeldIdentity[],
): Promise<Stored> {
  const { enquiry } = capture;
  const person = await lookUpPerson(db, enquiry, sender, held ?? (await findHeld(db, enquiry)));
  const mayBeStored = capture.mayBeRepeated || capture.acceptedAt !== undefined;
  const before = mayBeStored && (await findSubmitted(db, capture));
  if (before) return { submitted: before, wasStored: true };
  const risk = assessRisk(enquiry, {
    personRule: sender.personRule,
    isTrustedProxy: capture.isTrustedProxy,
    botLeadDetection: capture.botLeadDetection,
    disposableEmailDomains: capture.disposableEmailDomains ?? [],
    vpnSuspected: sender.visitor?.vpn_suspected === 1,
    recentSubmissions: Math.max(sender.recentFromIp, person.recentFromVisitor),
  });
  const lead = newLead(capture, sender.visitor, person, risk);
  await noteUse(db, sender.integration, enquiry.at);
  const submitted = await submitLead(db, {
    capture,
    lead,
    held: person.held,
    elsewhere: person.elsewhere.leadIds,
    visitorNo: sender.visitor?.visitor_no ?? null,
    siteDomains: sender.site?.domains ?? [],
    isBlocked: risk.isAutoBlocked,
  });
  return { submitted, wasStored: false };
}

async function findSubmitted(
  { dialect }: Db,
  { submissionPublicId }: Capture,
): Promise<Submitted | undefined> {
  const [row] = await dialect.run<{ lead_id: number; lead_public_id: string; is_primary_lead: number }>(
    `select l.lead_id, l.lead_public_id, s.is_primary_lead
    from submissions s join leads l on l.lead_id = s.lead_id where s.lead_submission_public_id = ?`,
    [submissionPublicId],
  );
  if (row === undefined) return undefined;
  const { lead_id: leadId, lead_public_id: leadPublicId, is_primary_lead } = row;
  // `isForwarded`: its send may still be pending.
  return { leadId, leadPublicId, submissionPublicId, isPrimary: is_primary_lead === 1, isForwarded: true };
}

/** CORS. Nearly always the origin is that of the form's own site, which saves reading the other sites. */
async function mayReadAnswer(db: Db, enquiry: Enquiry, { site }: KnownSender): Promise<boolean> {
  const { origin, page } = enquiry;
  if (origin === null) return false;
  return (site?.enabled && page === origin && isOnSite(enquiry, site)) || isSiteOrigin(db, { origin });
}

async function keepAside(db: Db, capture: Capture, kind: SetAsideLeadRow['kind']): Promise<boolean> {
  if (capture.isLogged && (await isKeptAside(db, capture))) return true;
  return setAside(db, asideOf(capture, kind));
}

function asideOf(capture: Capture, kind: SetAsideLeadRow['kind']): SetAsideLead {
  const { enquiry } = capture;
  const { form } = enquiry;
  return {
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
    sender: JSON.stringify(senderToKeep(enquiry)),
    reason: enquiry.unwanted ?? '',
    lead_public_id: capture.leadPublicId,
    lead_submission_public_id: capture.submissionPublicId,
  };
}

async function isKeptAside({ query }: Db, { enquiry, submissionPublicId }: Capture): Promise<boolean> {
  const row = await query
    .selectFrom('set_aside_leads')
    .select('id')
    .where('client', '=', rateLimitKey(enquiry.ip))
    .where('received_at', '=', enquiry.at)
    .where('kind', 'in', ['rejected', 'testing'])
    .where('lead_submission_public_id', '=', submissionPublicId)
    .executeTakeFirst();
  return row !== undefined;
}
