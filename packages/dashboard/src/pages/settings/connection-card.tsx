import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Card } from '../../ui/card.tsx';
import { Note } from './parts/note.tsx';

type Connection = Awaited<ReturnType<typeof call<'connection'>>>;

/** The headers that carry a client address, spelled as in proxy manuals, and the `EDGE` that each belongs to. */
const HEADERS: Readonly<Record<string, { name: string; edge?: string }>> = {
  'cf-connecting-ip': { name: 'CF-Connecting-IP', edge: 'cloudflare' },
  'x-vercel-forwarded-for': { name: 'X-Vercel-Forwarded-For', edge: 'vercel' },
  'cloudfront-viewer-address': { name: 'CloudFront-Viewer-Address', edge: 'cloudfront' },
  'x-appengine-user-ip': { name: 'X-AppEngine-User-IP', edge: 'appengine' },
  'x-forwarded-for': { name: 'X-Forwarded-For' },
  'x-real-ip': { name: 'X-Real-IP' },
};

/** Tells an operator whether the service knows visitors by their own addresses or by that of a proxy. */
export function ConnectionCard() {
  const { data } = useQuery({
    queryKey: queryKeys.connection,
    queryFn: ({ signal }) => call('connection', { signal }),
  });
  if (data === undefined) return null;
  const advice = adviceFor(data);
  return (
    <Card title="Your address" hint="Rate limits, IP lists and locations depend on the visitor’s address.">
      <div className="grid gap-3">
        <p className="[overflow-wrap:anywhere] text-ink-soft">
          Your requests come from <Code>{data.peer}</Code> and count as <Code>{data.address}</Code>
          {data.header !== null && <>, by the header {nameOf(data.header)}</>}.
        </p>
        {advice !== undefined && <Note tone="warning">{advice}</Note>}
      </div>
    </Card>
  );
}

function adviceFor({ is_trusted_proxy, ignored_headers, edges, peer }: Connection): ReactNode {
  const [first] = ignored_headers;
  if (first === undefined) return undefined;
  if (!is_trusted_proxy) {
    return (
      <p>
        {nameOf(first)} is ignored. If <Code>{peer}</Code> is your proxy, add it to{' '}
        <Code>TRUSTED_PROXIES</Code>.
      </p>
    );
  }
  const edge = ignored_headers.map((header) => HEADERS[header]?.edge).find((name) => name !== undefined);
  if (edge === undefined || edges.includes(edge)) return undefined;
  return (
    <p>
      {nameOf(first)} is ignored. If that network is in front of the service, set <Code>EDGE={edge}</Code>.
    </p>
  );
}

function nameOf(header: string): string {
  return HEADERS[header]?.name ?? header;
}

function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-xs text-ink">{children}</code>;
}
