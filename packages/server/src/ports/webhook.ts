import type { SendResult } from '@leadtrail/contract/deliveries';
import type { EgressPolicy } from '../domain/delivery/egress.ts';

/** HTTP messages to the automation platform and other targets. */
export type Webhook = {
  /** One attempt. Never rejects: failures of the target and an abort are outcomes, too. */
  send(target: WebhookTarget, message: WebhookMessage, signal?: AbortSignal): Promise<WebhookOutcome>;
  /** Aborts the requests in flight, and all that would follow. */
  close(): void;
};

export type WebhookTarget = {
  url: string;
  policy: EgressPolicy;
  /** Signs the message; null: it goes unsigned. */
  secret: string | null;
};

export type WebhookMessage = {
  /** The idempotency key: the same on every attempt. */
  id: string;
  /** JSON. */
  body: string;
  /** The time of this attempt. */
  at: number;
};

export type WebhookOutcome = {
  /** Null: no answer came. Otherwise it alone decides whether the message was delivered. */
  statusCode: number | null;
  result: SendResult;
  /** The result in one sentence that holds neither address, secret nor message; null when delivered. */
  error: string | null;
  /** The `Retry-After` header as it came. */
  retryAfter: string | undefined;
  durationMs: number;
  /** The beginning of the answer's text, to be shown. */
  answer: string;
};
