import type { FlowSendEvent } from '@leadtrail/contract/deliveries';
import type { Db } from '../dialect.ts';
import type { FlowSendRow } from '../schema.ts';

type NewSend = {
  event: FlowSendEvent;
  leadId: number;
  submissionId: number;
  /** The keys of the contact details in it. */
  carried: readonly string[];
  at: number;
  body: { flow_send_public_id: string };
};

/** Transactional outbox: the send is committed together with the change that it reports. */
export async function insertFlowSend({ dialect }: Db, send: NewSend): Promise<void> {
  const row = {
    flow_send_public_id: send.body.flow_send_public_id,
    event: send.event,
    lead_id: send.leadId,
    submission_id: send.submissionId,
    status: 'pending' as const,
    attempts: 0,
    round_attempts: 0,
    next_attempt_at: send.at,
    claimed_until: 0,
    last_status_code: null,
    last_result: null,
    last_error: null,
    created_at: send.at,
    delivered_at: null,
    flow_execution_url: null,
    flow_execution_id: null,
    flow_execution_status: null,
    callback: null,
    carried: JSON.stringify(send.carried),
    body: JSON.stringify(send.body),
  } satisfies Record<keyof FlowSendRow, unknown>;
  await dialect.insertRows('flow_sends', [row], 'do nothing');
}
