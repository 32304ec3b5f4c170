import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import type { AutomationPayload } from '../../../server/src/domain/leads/automation-payload.ts';
import type { Delivery, LeadLedger } from './lead-ledger.ts';
import type { Random } from './random.ts';

/** Where the service sends its leads. It outlives the service and writes down everything it gets. */
export type AutomationPlatform = {
  /** What a service is started with to take leads and send them here. */
  env: Readonly<Record<string, string>>;
  /** From now on it refuses this share of the messages. */
  refuse(share: number): void;
  close(): Promise<void>;
};

export async function startAutomationPlatform(
  ledger: LeadLedger,
  random: Random,
): Promise<AutomationPlatform> {
  let refused = 0;
  const server = createServer(async (request, response) => {
    try {
      const delivery = { ...(await readDelivery(request)), accepted: !random.chance(refused) };
      ledger.receive(delivery);
      response.writeHead(delivery.accepted ? 200 : 500).end();
    } catch {
      // The service was killed while it was sending.
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: `http://127.0.0.1:${port}/leads` },
    refuse(share) {
      refused = share;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readDelivery(request: IncomingMessage): Promise<Omit<Delivery, 'accepted'>> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  const payload: AutomationPayload = JSON.parse(Buffer.concat(chunks).toString());
  return {
    webhookId: String(request.headers['webhook-id']),
    sendPublicId: payload.flow_send_public_id,
    leadPublicId: payload.lead_public_id,
    submissionPublicId: payload.lead_submission_public_id,
    isFollowUp: payload.is_follow_up,
  };
}
