import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A customer's web site: pages on an origin that is not the service's. */
export type Site = {
  /** `http://localhost:<port>`, which the browser trusts like an encrypted page. */
  url: string;
  /** The same pages under another name, which the browser does not trust. */
  plainUrl: string;
  /** What a path answers from now on: a page, or a function of the request. */
  serve(path: string, page: string | ((request: IncomingMessage) => string)): void;
  close(): Promise<void>;
};

/** A name that the test browser finds on this machine. */
export const PLAIN_HOST = 'landing.example';

export async function openSite(): Promise<Site> {
  const pages = new Map<string, string | ((request: IncomingMessage) => string)>();
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const page = pages.get(path);
    // Browsers ask for an icon by themselves, and would report that there is none.
    if (path === '/favicon.ico') return void response.writeHead(204).end();
    if (page === undefined) return void response.writeHead(404).end('There is no such page.');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(typeof page === 'string' ? page : page(request));
  });
  const { url, close } = await listening(server);
  return {
    url,
    plainUrl: `http://${PLAIN_HOST}:${new URL(url).port}`,
    serve: (path, page) => void pages.set(path, page),
    close,
  };
}

/** On a free port of this machine. */
export async function listening(server: Server): Promise<{ url: string; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page with all that a test does not care about. */
export function aPage({
  title = 'Landing page',
  head = '',
  body = '',
}: {
  title?: string;
  head?: string;
  body?: string;
} = {}): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}</head>
<body>${body}</body>
</html>`;
}
