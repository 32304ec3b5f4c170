import type { IncomingHttpHeaders } from 'node:http';
import type { Geo } from '../domain/geo.ts';
import { afterSending, type NextSight } from '../domain/leads/after-sending.ts';
import { type Enquiry, readEnquiry, type SentHeaders } from '../domain/leads/enquiry.ts';
import { withMeanings } from '../domain/leads/field-meanings.ts';
import { type FormRecord, formKeysOf } from '../domain/leads/form-fields.ts';
import { takeToken } from '../domain/leads/spam-check.ts';
import { repeatableId } from '../domain/leads/submission-id.ts';
import { unwantedBecause } from '../domain/leads/unwanted.ts';
import type { FormSettings } from '../domain/setup/form-settings.ts';
import type { Settings } from '../domain/setup/settings.ts';
import type { NetworkMatcher } from '../lib/ip-address.ts';
import type { Captcha } from '../ports/captcha.ts';
import type { Log } from '../ports/log.ts';
import type { LeadOutcome, Metrics } from '../ports/metrics.ts';
import type { Capture } from '../store/leads/submission.ts';
import type { AppSettings } from './app-settings.ts';
import { checkForSpam } from './check-for-spam.ts';
import type { KnownSenders } from './known-senders.ts';
import type { TakeLead, TakenLead } from './take-lead.ts';
import type { VisitStored } from './visit-stored.ts';

export type CaptureLead = (request: CaptureRequest) => Promise<TakenLead & NextSight>;

export type CaptureRequest = {
  /** Null: the body is unreadable. */
  form: FormRecord | null;
  client: { ip: string; trusted: boolean };
  headers: IncomingHttpHeaders;
};

export type CaptureParts = {
  takeLead: TakeLead;
  visitStored: VisitStored;
  senders: KnownSenders;
  settings: AppSettings;
  now: () => number;
  newId: () => string;
  metrics: Metrics;
  captcha: Captcha;
  log: Log;
  locate: (ip: string, trusted: boolean, headers: SentHeaders) => Geo;
  isTrustedProxy: NetworkMatcher;
  /** Sent to the automation platform as `dev_environment`. */
  environment: string;
  /** A lead is waiting to be forwarded. */
  onPendingSend: () => void;
  /** A lead is new or has changed. */
  onStored: () => void;
};

/**
 * Takes a lead from a form or a server. All its work in the store is one operation, hence one transaction;
 * while the store is away, the lead waits on disk.
 */
export function makeCaptureLead(parts: CaptureParts): CaptureLead {
  return async ({ form: sent, client, headers }) => {
    const settings = await usableSettings(parts);
    const form = settingsOfForm(parts, sent);
    const { record, token } = sent === null ? UNREADABLE : takeToken(sent, form);
    const read = readEnquiry(record && withMeanings(record, form?.field_names), {
      at: parts.now(),
      ip: client.ip,
      headers,
      redacted: settings.redactedParameters,
      locate: (ip, sent) => parts.locate(ip, sent !== null && client.trusted, sent ?? {}),
    });
    const wanted = { ...read, unwanted: unwantedBecause(read, settings) };
    const spamCheck = form && (await checkForSpam(parts, wanted, form, token));
    const enquiry = spamCheck === undefined ? wanted : { ...wanted, spamCheck };
    if (!parts.takeLead.isLogging()) await parts.visitStored(enquiry.form.visitorId);
    const outcome = await parts.takeLead(captureOf(parts, settings, enquiry)).catch((error: unknown) => {
      parts.metrics.leadSubmitted('failed');
      throw error;
    });
    // A logged lead is counted when it is stored.
    if (outcome.kind !== 'logged') parts.metrics.leadSubmitted(countedAs(outcome));
    if ('isKept' in outcome && !outcome.isKept) parts.metrics.dropped('set_aside_over_limit');
    if (outcome.kind === 'stored') {
      parts.onStored();
      if (outcome.isForwarded) parts.onPendingSend();
    }
    return { ...outcome, ...afterSending(enquiry.form, form, headers.referer, settings.internalTeams) };
  };
}

const UNREADABLE = { record: null, token: null };

/** Nearly always undefined: the form has no settings. */
function settingsOfForm({ senders }: CaptureParts, sent: FormRecord | null): FormSettings | undefined {
  if (sent === null || !senders.hasFormSettings()) return undefined;
  const { siteKey, formId } = formKeysOf(sent);
  return senders.formSettings(siteKey, formId);
}

/** The current settings; while the store is away, the last known ones. */
async function usableSettings({ settings, senders, takeLead }: CaptureParts): Promise<Settings> {
  const known = takeLead.isLogging() ? (settings.recent() ?? senders.settings()) : undefined;
  if (known !== undefined) return known;
  return settings.current().catch((error: unknown) => senders.settings() ?? Promise.reject(error));
}

export function captureOf(
  { newId, environment, isTrustedProxy }: Pick<CaptureParts, 'newId' | 'environment' | 'isTrustedProxy'>,
  settings: Settings,
  enquiry: Enquiry,
): Capture {
  const isForwarding = settings.flowEnabled && settings.flowTarget !== null;
  const repeatable = repeatableId(enquiry);
  return {
    enquiry,
    leadPublicId: newId(),
    submissionPublicId: repeatable ?? newId(),
    mayBeRepeated: repeatable !== null,
    sendPublicId: isForwarding ? newId() : null,
    duplicateWindowMinutes: settings.duplicateWindowMinutes,
    sendFollowUps: settings.flowSendFollowUps,
    sendRiskMax: settings.flowRiskMax,
    environment,
    attributionDays: settings.attributionDays,
    portalDomains: settings.portalDomains,
    botLeadDetection: settings.botLeadDetection,
    disposableEmailDomains: settings.disposableEmailDomains,
    isTrustedProxy: isTrustedProxy(enquiry.ip),
  };
}

function countedAs(outcome: Exclude<TakenLead, { kind: 'logged' }>): LeadOutcome {
  if (outcome.kind !== 'stored') return outcome.kind;
  return outcome.isPrimary ? 'primary' : 'follow_up';
}
