import type { IncomingHttpHeaders } from 'node:http';
import type { Geo } from '../domain/geo.ts';
import { readEnquiry } from '../domain/leads/enquiry.ts';
import type { FormRecord } from '../domain/leads/form-fields.ts';
import { redirectTarget } from '../domain/leads/redirect-target.ts';
import { AppError } from '../lib/errors.ts';
import type { NetworkMatcher } from '../lib/ip-address.ts';
import type { CaptureOutcome } from '../store/leads/capture.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';

export type CaptureLead = (
  request: CaptureRequest,
) => Promise<CaptureOutcome & { redirectTo: string | null }>;

export type CaptureRequest = {
  /** What was sent, or why it cannot be read. */
  form: FormRecord | AppError;
  client: { ip: string; trusted: boolean };
  headers: IncomingHttpHeaders;
};

export type CaptureParts = {
  store: Store;
  settings: AppSettings;
  now: () => number;
  newId: () => string;
  locate: (ip: string, trusted: boolean, headers: IncomingHttpHeaders) => Geo;
  isTrustedProxy: NetworkMatcher;
  botLeadDetection: boolean;
  /** What the automation platform gets as `dev_environment`. */
  environment: string;
  /** A lead is waiting to be forwarded. */
  onPendingSend: () => void;
  /** A lead has come, or come again. */
  onStored: () => void;
};

/** Takes a lead from a form or a server. Everything that needs the store is one step of it, so that nothing slips in between. */
export function makeCaptureLead(parts: CaptureParts): CaptureLead {
  return async ({ form: sent, client, headers }) => {
    const settings = await parts.settings.current();
    const isReadable = !(sent instanceof AppError);
    const enquiry = readEnquiry(isReadable ? sent : {}, {
      at: parts.now(),
      ip: client.ip,
      geo: parts.locate(client.ip, client.trusted, headers),
      headers,
    });
    const isForwarding = settings.flowEnabled && settings.flowTarget !== null;
    const outcome = await parts.store.captureLead({
      enquiry,
      unreadable: isReadable ? null : { code: sent.code, message: sent.message },
      leadPublicId: parts.newId(),
      submissionPublicId: parts.newId(),
      sendPublicId: isForwarding ? parts.newId() : null,
      duplicateWindowMinutes: settings.duplicateWindowMinutes,
      environment: parts.environment,
      botLeadDetection: parts.botLeadDetection,
      isTrustedProxy: parts.isTrustedProxy(client.ip),
    });
    if (outcome.kind === 'stored') {
      parts.onStored();
      if (outcome.isForwarded) parts.onPendingSend();
    }
    return { ...outcome, redirectTo: redirectTarget(enquiry.form, headers.referer, settings.internalTeams) };
  };
}
