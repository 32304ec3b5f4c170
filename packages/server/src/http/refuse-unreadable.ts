import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../lib/errors.ts';
import { errorBody } from './error-response.ts';

export const UNREADABLE = 'The request cannot be read.';

/** Error codes of Node's HTTP parser; all others mean that the request is not HTTP. */
const REFUSALS: Readonly<Record<string, { status: number; code: ErrorCode }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'timeout' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too_large' },
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too_large' },
};
const NOT_HTTP = { status: 400, code: 'invalid' } as const;

/** Enough for the event loop to read everything that has arrived. */
const SECOND_CHANCE_MS = 2000;

/**
 * Answers requests that could not be parsed with an error body like
 * all others; Node's own answer is a bare status.
 */
export function refuseUnreadable(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || (socket as Socket).bytesRead > 0) {
      refuse(error, socket);
      return;
    }
    // No byte was read: the client is idle, or a blocked event loop left a request, perhaps a lead, unread.
    setTimeout(() => {
      if ((socket as Socket).bytesRead === 0) refuse(error, socket);
    }, SECOND_CHANCE_MS).unref();
  };

  function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, code } = REFUSALS[error.code ?? ''] ?? NOT_HTTP;
    const body = errorBody(code, UNREADABLE);
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-Id: ${newRequestId()}`,
      'Content-Type: application/json; charset=utf-8',
      'X-Content-Type-Options: nosniff',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  }
}
