import type { IncomingHttpHeaders } from 'node:http';
import { EDGE_NAMES, type Edge, type EdgeName, edgesNamed } from '../domain/edges.ts';
import { canonicalIp, type NetworkMatcher } from '../lib/ip-address.ts';
import { makeLru } from '../lib/lru.ts';

/** `trusted` says whether the peer is a proxy whose headers may be believed, not whether the client is. */
export type ClientIp = { readonly ip: string; readonly trusted: boolean };
export type ClientSource = ClientIp & {
  /** The other end of the connection. */
  readonly peer: string;
  /** The header that named the client; null: the peer is the client. */
  readonly header: string | null;
  /** Headers that contain an address but were not believed. */
  readonly ignored: readonly string[];
};

type Peer = string | undefined;
type Forwarded = { readonly ip: string; readonly header: string };
type AddressHeader = { readonly name: string; readonly hasPort: boolean };

/** Proxies keep their connections alive, so few peers make most requests. */
const PEERS_REMEMBERED_MAX = 1024;
/** A socket that is already closed has no address; the unspecified address stands for that. */
const UNKNOWN_PEER: ClientIp = { ip: '0.0.0.0', trusted: false };
const CHAIN = 'x-forwarded-for';
const REAL_IP = 'x-real-ip';
const LAST_PORT = /:\d+$/;
const ADDRESS_HEADERS = [
  ...edgesNamed(EDGE_NAMES)
    .flatMap(addressHeader)
    .map(({ name }) => name),
  CHAIN,
  REAL_IP,
];

export function makeClientIp(
  isTrusted: NetworkMatcher,
  edges: readonly EdgeName[] = [],
): (peer: Peer, headers: IncomingHttpHeaders) => ClientIp {
  const peers = makeLru<ClientIp>({ entriesMax: PEERS_REMEMBERED_MAX });
  const resolve = (peer: string) => resolvePeer(peer, isTrusted);
  const forwarded = makeForwarded(isTrusted, edges);

  return (peer, headers) => {
    if (peer === undefined) return UNKNOWN_PEER;
    const direct = peers.getOrInsertComputed(peer, resolve);
    if (!direct.trusted) return direct;
    const client = forwarded(headers);
    return client === null ? direct : { ip: client.ip, trusted: true };
  };
}

/** The client's address with the reasons for it, for operators who set up a proxy. */
export function makeClientSource(
  isTrusted: NetworkMatcher,
  edges: readonly EdgeName[],
): (peer: Peer, headers: IncomingHttpHeaders) => ClientSource {
  const forwarded = makeForwarded(isTrusted, edges);
  return (peer, headers) => {
    const direct = resolvePeer(peer ?? '', isTrusted);
    const client = direct.trusted ? forwarded(headers) : null;
    const header = client?.header ?? null;
    const ignored = ADDRESS_HEADERS.filter((name) => name in headers && name !== header);
    return { ip: client?.ip ?? direct.ip, trusted: direct.trusted, peer: direct.ip, header, ignored };
  };
}

function resolvePeer(peer: string, isTrusted: NetworkMatcher): ClientIp {
  const ip = canonicalIp(peer);
  return ip === null ? UNKNOWN_PEER : { ip, trusted: isTrusted(ip) };
}

function makeForwarded(
  isTrusted: NetworkMatcher,
  names: readonly EdgeName[],
): (headers: IncomingHttpHeaders) => Forwarded | null {
  const edges = edgesNamed(names).flatMap(addressHeader);
  return (headers) => {
    const chain = readChain(headers[CHAIN], isTrusted);
    return (
      edgeAddress(headers, edges) ??
      found(CHAIN, chain.untrusted) ??
      found(REAL_IP, lastAddress(headers[REAL_IP])) ??
      found(CHAIN, chain.trusted)
    );
  };
}

function addressHeader({ address, hasPort = false }: Edge): AddressHeader[] {
  return address === undefined ? [] : [{ name: address, hasPort }];
}

function found(header: string, ip: string | null): Forwarded | null {
  return ip === null ? null : { ip, header };
}

/** If two edges disagree, the client must have set one of their headers: neither is believed. */
function edgeAddress(headers: IncomingHttpHeaders, edges: readonly AddressHeader[]): Forwarded | null {
  let address: Forwarded | null = null;
  for (const { name, hasPort } of edges) {
    const ip = lastAddress(headers[name], hasPort);
    if (ip === null) continue;
    if (address !== null && address.ip !== ip) return null;
    address ??= { ip, header: name };
  }
  return address;
}

/**
 * Node joins repeated headers with commas. The last value is from the
 * last hop, the others may be the client's.
 */
function lastAddress(header: string | string[] | undefined, hasPort = false): string | null {
  if (typeof header !== 'string') return null;
  const last = header.slice(header.lastIndexOf(',') + 1).trim();
  return canonicalIp(hasPort ? last.replace(LAST_PORT, '') : last);
}

/** If all hops are trusted, the client is in our own network: the first hop. */
type Chain = { untrusted: string | null; trusted: string | null };
const NO_CHAIN: Chain = { untrusted: null, trusted: null };

/**
 * Walks the chain from our end. Every hop vouches for the entry to its left, so anything left of the first
 * untrusted or unreadable entry could be forged.
 */
function readChain(header: string | string[] | undefined, isTrusted: NetworkMatcher): Chain {
  if (header === undefined) return NO_CHAIN;
  const chain = typeof header === 'string' ? header : header.join(',');
  let trusted: string | null = null;
  let end = chain.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
    const entry = chain.slice(comma + 1, end).trim();
    end = comma;
    if (entry === '') continue;
    const ip = canonicalIp(entry);
    if (ip === null) break;
    if (!isTrusted(ip)) return { untrusted: ip, trusted };
    trusted = ip;
  }
  return { untrusted: null, trusted };
}
