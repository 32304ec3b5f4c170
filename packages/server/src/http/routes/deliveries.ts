import { TEST_LEADS_PER_MINUTE_MAX } from '@leadtrail/contract/limits';
import { boundsOf } from '../../domain/leads/submission-period.ts';
import type { Forwarding } from '../../flows/forward-leads.ts';
import type { SendTestLead } from '../../flows/send-test-lead.ts';
import { AppError } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';
import { makeRateLimit } from '../rate-limit.ts';

/** A single limit for all users, because their tests go to the same platform. */
const EVERYONE = 'everyone';

const BODY_FORGOTTEN = 'The sent data is no longer kept. Forward the lead instead.';

export function deliveryRoutes({
  store,
  now,
  forwarding,
  sendTestLead,
}: {
  store: Store;
  now: () => number;
  forwarding: Pick<Forwarding, 'nudge'>;
  sendTestLead: SendTestLead;
}): Pick<Handlers, 'flowSends' | 'resendFlowSend' | 'resendFailed' | 'sendTestLead'> {
  const tests = makeRateLimit(TEST_LEADS_PER_MINUTE_MAX);
  return {
    flowSends: kept({ from: ['flowSends'] }, ({ query: { site, from, to, ...query } }) =>
      store.flowSends({
        ...query,
        siteKeys: site,
        ...boundsOf({ from, to }),
      }),
    ),
    async resendFlowSend({ params }) {
      const send = await store.resendFlowSend({ id: params.flow_send_public_id, now: now() });
      if (send === 'unknown') throw new AppError('not_found', 'There is no delivery with this id.');
      if (send === 'forgotten') throw new AppError('conflict', BODY_FORGOTTEN);
      forwarding.nudge();
      return send;
    },
    async resendFailed({ body }) {
      const { since, until, sites } = body;
      const resent = await store.resendFailed({
        ...boundsOf({ from: since, to: until }),
        siteKeys: sites,
        now: now(),
      });
      if (resent > 0) forwarding.nudge();
      return { resent };
    },
    async sendTestLead() {
      const { allowed, resetSeconds } = tests.take(EVERYONE, now());
      if (!allowed) {
        throw new AppError('rate_limited', 'Too many tests within a minute. Wait a moment.', {
          retryAfterSeconds: resetSeconds,
        });
      }
      const { id, statusCode, result, error, durationMs, answer } = await sendTestLead();
      return {
        flow_send_public_id: id,
        status_code: statusCode,
        result,
        error,
        duration_ms: durationMs,
        answer,
      };
    },
  };
}
