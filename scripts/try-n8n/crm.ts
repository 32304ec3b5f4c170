import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A CRM that takes leads by their public ids and answers with ids of its own. */
export type Crm = {
  url: string;
  got: { method: string; path: string; body: Record<string, unknown> }[];
  close(): void;
};

/** It answers with 500, or without an id, for leads with these e-mail addresses. */
export const FAILING = 'crm-fails@example.org';
export const WITHOUT_ID = 'crm-gives-no-id@example.org';

export function crmIdOf(leadPublicId: string): string {
  return `crm-${leadPublicId.slice(-6)}`;
}

export async function startCrm(): Promise<Crm> {
  const got: Crm['got'] = [];
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const { method = '', url: path = '' } = request;
    got.push({ method, path, body });
    const answer = body.email === WITHOUT_ID ? {} : { id: crmIdOf(path) };
    response.writeHead(body.email === FAILING ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, got, close: () => server.close() };
}
