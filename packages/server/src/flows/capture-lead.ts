import type { IncomingHttpHeaders } from 'node:http';
import type { Geo } from '../domain/geo.ts';
import { readEnquiry } from '../domain/leads/enquiry.ts';
import type { FormRecord } from '../domain/leads/form-fields.ts';
import { redirectTarget } from '../domain/leads/redirect-target.ts';
import type { NetworkMatcher } from '../lib/ip-address.ts';
import type { LeadOutcome, Metrics } from '../ports/metrics.ts';
import type { CaptureOutcome } from '../store/leads/capture.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';

export type CaptureLead = (
  request: CaptureRequest,
) => Promise<CaptureOutcome & { redirectTo: string | null }>;

export type CaptureRequest = {
  /** Null: the body cannot be read. */
  form: FormRecord | null;
  client: { ip: string; trusted: boolean };
  headers: IncomingHttpHeaders;
};

export type CaptureParts = {
  store: Store;
  settings: AppSettings;
  now: () => number;
  newId: () => string;
  metrics: Metrics;
  locate: (ip: string, trusted: boolean, headers: IncomingHttpHeaders) => Geo;
  isTrustedProxy: NetworkMatcher;
  botLeadDetection: boolean;
  /** What the automation platform gets as `dev_environment`. */
  environment: string;
  /** A lead is waiting to be forwarded. */
  onPendingSend: () => void;
  /** A lead is new or has changed. */
  onStored: () => void;
};

/** Takes a lead from a form or a server. Everything that needs the store is one operation, hence one transaction. */
export function makeCaptureLead(parts: CaptureParts): CaptureLead {
  return async ({ form: sent, client, headers }) => {
    const settings = await parts.settings.current();
    const enquiry = readEnquiry(sent, {
      at: parts.now(),
      ip: client.ip,
      geo: parts.locate(client.ip, client.trusted, headers),
      headers,
    });
    const isForwarding = settings.flowEnabled && settings.flowTarget !== null;
    const outcome = await parts.store
      .captureLead({
        enquiry,
        leadPublicId: parts.newId(),
        submissionPublicId: parts.newId(),
        sendPublicId: isForwarding ? parts.newId() : null,
        duplicateWindowMinutes: settings.duplicateWindowMinutes,
        environment: parts.environment,
        botLeadDetection: parts.botLeadDetection,
        isTrustedProxy: parts.isTrustedProxy(client.ip),
      })
      .catch((error: unknown) => {
        parts.metrics.leadSubmitted('failed');
        throw error;
      });
    parts.metrics.leadSubmitted(countedAs(outcome));
    if (outcome.kind === 'stored') {
      parts.onStored();
      if (outcome.isForwarded) parts.onPendingSend();
    }
    return { ...outcome, redirectTo: redirectTarget(enquiry.form, headers.referer, settings.internalTeams) };
  };
}

function countedAs(outcome: CaptureOutcome): LeadOutcome {
  if (outcome.kind !== 'stored') return outcome.kind;
  return outcome.isPrimary ? 'primary' : 'follow_up';
}
