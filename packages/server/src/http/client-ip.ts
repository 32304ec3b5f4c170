import type { IncomingHttpHeaders } from 'node:http';
import { canonicalIp, type NetworkMatcher } from '../lib/ip-address.ts';
import { makeLru } from '../lib/lru.ts';

/** `trusted` says whether the peer is a proxy whose headers may be believed, not whether the client is. */
export type ClientIp = { readonly ip: string; readonly trusted: boolean };

/** Proxies keep their connections, so few peers make most requests. */
const PEERS_REMEMBERED_MAX = 1024;
/** A socket that is already gone has no address; the unspecified one says so in canonical form. */
const UNKNOWN_PEER: ClientIp = { ip: '0.0.0.0', trusted: false };

export function makeClientIp(
  isTrusted: NetworkMatcher,
): (peer: string | undefined, headers: IncomingHttpHeaders) => ClientIp {
  const peers = makeLru<ClientIp>({ entriesMax: PEERS_REMEMBERED_MAX });
  const resolve = (peer: string) => resolvePeer(peer, isTrusted);

  return (peer, headers) => {
    if (peer === undefined) return UNKNOWN_PEER;
    const direct = peers.getOrInsertComputed(peer, resolve);
    if (!direct.trusted) return direct;
    const ip = forwardedIp(headers, isTrusted);
    return ip === null ? direct : { ip, trusted: true };
  };
}

function resolvePeer(peer: string, isTrusted: NetworkMatcher): ClientIp {
  const ip = canonicalIp(peer);
  return ip === null ? UNKNOWN_PEER : { ip, trusted: isTrusted(ip) };
}

function forwardedIp(headers: IncomingHttpHeaders, isTrusted: NetworkMatcher): string | null {
  return (
    singleIp(headers['cf-connecting-ip']) ??
    lastUntrusted(headers['x-forwarded-for'], isTrusted) ??
    singleIp(headers['x-real-ip'])
  );
}

function singleIp(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? canonicalIp(header) : null;
}

/**
 * Walks the chain from our end. Every hop vouches for the entry to its left, so whatever stands left of the
 * first untrusted or unreadable entry could have been written by anyone. When all are trusted the left-most
 * is the client.
 */
function lastUntrusted(header: string | string[] | undefined, isTrusted: NetworkMatcher): string | null {
  if (header === undefined) return null;
  const chain = typeof header === 'string' ? header : header.join(',');
  let vouchedFor: string | null = null;
  let end = chain.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
    const entry = chain.slice(comma + 1, end).trim();
    end = comma;
    if (entry === '') continue;
    const ip = canonicalIp(entry);
    if (ip === null) return vouchedFor;
    if (!isTrusted(ip)) return ip;
    vouchedFor = ip;
  }
  return vouchedFor;
}
