import type { IncomingHttpHeaders } from 'node:http';
import type { Captured } from '@leadtrail/contract/lead-capture';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '@leadtrail/contract/limits';
import type { z } from 'zod';
import type { RefusalReason } from '../../domain/leads/decide-capture.ts';
import { pageTexts } from '../../domain/setup/form-texts.ts';
import type { CaptureLead } from '../../flows/capture-lead.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers, Reply } from '../answer-endpoint.ts';
import { prefersPage } from '../error-page.ts';
import { siteOriginHeaders } from '../site-origin.ts';
import { PAGE_HEADERS, textPage } from '../text-page.ts';

type CaptureRequest = Pick<
  Parameters<Handlers['captureLead']>[0],
  'form' | 'client' | 'headers' | 'keyStanding' | 'reply'
>;
type Answer = z.input<typeof Captured> | string | null;

const MESSAGE = 'All set!';

export function leadCaptureRoutes({
  captureLead,
  legacyLeadRoutes,
  store,
  metrics,
}: {
  captureLead: CaptureLead;
  legacyLeadRoutes: boolean;
  store: Pick<Store, 'isSiteOrigin'>;
  metrics: Metrics;
}): Pick<Handlers, 'captureLead' | 'captureLeadLegacy' | 'captureLeadRoot'> {
  async function capture({ form, client, headers, keyStanding, reply }: CaptureRequest): Promise<Answer> {
    if (keyStanding === 'wrong') throw await refuseKey(headers, reply);
    const sent = await form().catch(asAppError);
    const record = sent instanceof AppError ? null : sent;
    const outcome = await captureLead({ form: record, client, headers }).catch((error: unknown) => {
      // The site could not be looked up, so any page may read that it has to retry.
      Object.assign(reply.headers, siteOriginHeaders(headers.origin, true));
      throw error;
    });
    Object.assign(reply.headers, siteOriginHeaders(headers.origin, outcome.isSiteOrigin));
    if (outcome.kind === 'refused') {
      throw outcome.reason === 'unreadable' && sent instanceof AppError ? sent : refusal(outcome.reason);
    }

    const { redirectTo, text, leadPublicId, submissionPublicId } = outcome;
    const message = text || MESSAGE;
    if (isScript(headers)) {
      return {
        message,
        redirect_to: redirectTo,
        lead_public_id: leadPublicId,
        lead_submission_public_id: submissionPublicId,
      };
    }
    if (redirectTo === null && prefersPage(headers)) return page(text ?? '', headers, reply);
    if (redirectTo === null) return { message };
    reply.status = 301;
    reply.headers.location = redirectTo;
    return null;
  }

  /** Refuses without reading the form, so that guessing keys costs the service little. */
  async function refuseKey({ origin }: IncomingHttpHeaders, reply: Reply): Promise<AppError> {
    metrics.leadSubmitted('refused');
    const isSiteOrigin = origin !== undefined && (await store.isSiteOrigin({ origin }).catch(() => true));
    Object.assign(reply.headers, siteOriginHeaders(origin, isSiteOrigin));
    return refusal('invalid_key');
  }

  async function captureDeprecated(request: CaptureRequest): Promise<Answer> {
    if (legacyLeadRoutes) return capture(request);
    // Any page may read where to send it instead.
    Object.assign(request.reply.headers, siteOriginHeaders(request.headers.origin, true));
    throw new AppError('gone', 'This address is no longer in use; send to /lead.capture.');
  }

  return { captureLead: capture, captureLeadLegacy: captureDeprecated, captureLeadRoot: captureDeprecated };
}

/** For a form sent without a script: a page with the message that the script would have shown. */
function page(text: string, headers: IncomingHttpHeaders, reply: CaptureRequest['reply']): string {
  const { language, success } = pageTexts(headers['accept-language'] ?? '', { success: text });
  Object.assign(reply.headers, PAGE_HEADERS);
  return textPage({ language, title: success, text: '' });
}

const REFUSALS: Readonly<Record<RefusalReason, readonly [ErrorCode, string]>> = {
  invalid_idempotency_key: [
    'invalid',
    `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters.`,
  ],
  idempotency_key_reused: [
    'key_reused',
    'Another lead was sent with this Idempotency-Key. Take a new key for each lead.',
  ],
  unreadable: ['invalid', 'The form cannot be read.'],
  invalid_key: ['unauthorized', 'The API key is invalid.'],
  no_credentials: ['forbidden', 'Send siteKey and formId with the form, or an API key in X-API-Key.'],
  unknown_form: ['forbidden', 'There is no such site or form.'],
  domain_not_allowed: ['forbidden', 'This domain is not allowed for the site.'],
  disabled: ['forbidden', 'The site or the form is disabled.'],
  spam_check_failed: ['invalid', 'The spam check was not passed. Send the form again.'],
};

function refusal(reason: RefusalReason): AppError {
  return new AppError(...REFUSALS[reason]);
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/**
 * Whether the sender wants data instead of a page. Browsers send the last of these headers for every `fetch`
 * and XMLHttpRequest, but not for a form.
 */
function isScript(headers: IncomingHttpHeaders): boolean {
  return (
    (headers.accept ?? '').toLowerCase().includes('application/json') ||
    headers['x-requested-with'] !== undefined ||
    headers['sec-fetch-mode'] === 'cors'
  );
}
