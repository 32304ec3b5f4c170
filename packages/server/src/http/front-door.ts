import type { RequestListener } from 'node:http';

const DASHBOARD = '/dashboard/';
/** Whatever is asked of it: links from mails carry parameters. */
const HERE = /^\/(\?|$)/;

/** Whoever opens the service in a browser comes to the dashboard; a POST to the same address is a lead. */
export function withFrontDoor(newRequestId: () => string, others: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const isVisit = incoming.method === 'GET' || incoming.method === 'HEAD';
    if (!isVisit || !HERE.test(incoming.url ?? '')) return others(incoming, outgoing);
    outgoing.writeHead(302, {
      location: DASHBOARD,
      'cache-control': 'no-store',
      'x-request-id': newRequestId(),
    });
    outgoing.end();
  };
}
