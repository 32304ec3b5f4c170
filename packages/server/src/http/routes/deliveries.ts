import { AppError } from '../../domain/errors.ts';
import type { Forwarding } from '../../flows/forward-leads.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function deliveryRoutes(
  store: Store,
  now: () => number,
  forwarding: Pick<Forwarding, 'nudge'>,
): Pick<Handlers, 'flowSends' | 'resendFlowSend'> {
  return {
    flowSends: ({ query }) => store.flowSends(query),
    async resendFlowSend({ params }) {
      const send = await store.resendFlowSend({ id: params.flow_send_public_id, now: now() });
      if (send === null) throw new AppError('not-found', 'There is no send with this id.');
      forwarding.nudge();
      return send;
    },
  };
}
