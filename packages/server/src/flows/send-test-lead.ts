import { testId, testPayload } from '../domain/leads/test-lead.ts';
import { AppError } from '../lib/errors.ts';
import type { Webhook, WebhookOutcome } from '../ports/webhook.ts';
import type { AppSettings } from './app-settings.ts';

export type SendTestLead = () => Promise<WebhookOutcome & { id: string }>;

/**
 * Sends a sample lead like a real one, even while forwarding is off,
 * so that it can be tried first. Not stored or retried.
 */
export function makeSendTestLead(parts: {
  settings: AppSettings;
  webhook: Webhook;
  /** Sent to the automation platform as `dev_environment`. */
  environment: string;
  now: () => number;
  newId: () => string;
}): SendTestLead {
  const { settings, webhook, environment, now, newId } = parts;
  return async () => {
    // Another process may have saved the address a moment ago.
    const { flowTarget } = await settings.latest();
    if (flowTarget === null) {
      throw new AppError('conflict', 'There is no address to send leads to. Save one in the settings first.');
    }
    const id = testId(newId());
    const at = now();
    const ids = {
      lead: testId(newId()),
      submission: testId(newId()),
      send: id,
      visitor: newId(),
      session: newId(),
    };
    const body = JSON.stringify(testPayload(ids, at, environment));
    return { id, ...(await webhook.send(flowTarget, { id, body, at })) };
  };
}
