import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import type { FuzzRequest } from './requests.ts';

/** Where a large body is refused while it is still on its way, the answer may be lost with the connection. */
const CUT_OFF_BYTES_MIN = 32 * 1024;
const CUT_OFF: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export type Judged = {
  /** 0: the answer was lost. */
  status: number;
  /** What is wrong with the answer; null: nothing. */
  fault: string | null;
};

export async function sendAndJudge(port: number, agent: Agent, sent: FuzzRequest): Promise<Judged> {
  const answer = await send(port, agent, sent);
  if (answer === null) return { status: 0, fault: null };
  return { status: answer.status, fault: faultOf(sent, answer) };
}

function faultOf(sent: FuzzRequest, { status, headers, body }: Answer): string | null {
  if (status >= 500 && status !== 503) return `${status} ${body}`;
  if (headers['x-request-id'] === undefined) return `${status} without X-Request-Id`;
  if (status < 400 || sent.method === 'HEAD') return null;
  return isError(headers, body) ? null : `${status} ${headers['content-type']} ${body.slice(0, 200)}`;
}

type Answer = { status: number; headers: IncomingMessage['headers']; body: string };

async function send(port: number, agent: Agent, sent: FuzzRequest): Promise<Answer | null> {
  const headers = sent.headers.flat();
  if (sent.body !== undefined) {
    headers.push(
      ...(sent.isAnnounced ? ['content-length', String(sent.body.length)] : ['transfer-encoding', 'chunked']),
    );
  }
  try {
    const { method, path } = sent;
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers, setHost: false });
    outgoing.end(sent.body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const body = Buffer.concat(await incoming.toArray()).toString();
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, body };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (CUT_OFF.has(code) && (sent.body?.length ?? 0) > CUT_OFF_BYTES_MIN) return null;
    throw new Error(`No answer (${code}) to ${shown(sent)}`, { cause: error });
  }
}

function isError(headers: IncomingMessage['headers'], body: string): boolean {
  // Whoever navigates to a form that has been sent too often gets a page.
  if (headers['content-type']?.startsWith('text/html') && headers['retry-after'] !== undefined) return true;
  try {
    return typeof JSON.parse(body).error === 'string';
  } catch {
    return false;
  }
}

export function shown({ body, ...sent }: FuzzRequest): string {
  return JSON.stringify({ ...sent, body: body?.subarray(0, 2000).toString('latin1') });
}
