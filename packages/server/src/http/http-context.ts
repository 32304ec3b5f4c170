import type { IncomingHttpHeaders } from 'node:http';
import type { CheckKey } from '../flows/check-key.ts';
import type { OpenedLink } from '../flows/open-shared-link.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Role, SecretKind } from './authenticate.ts';
import type { ClientIp, ClientSource } from './client-ip.ts';
import type { RateLimit, SharedRateLimit } from './rate-limit.ts';
import type { ResponseCache } from './response-cache.ts';

/** Dependencies of the HTTP layer. */
export type HttpContext = {
  now: () => number;
  newRequestId: () => string;
  clientIp: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientIp;
  clientSource: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientSource;
  /** The role of the key, or the shared link of the token. */
  authenticate: (headers: IncomingHttpHeaders) => Promise<Role | OpenedLink>;
  /** Refuses requests without the secret of the callbacks or of the CRM; returns the id of a signed one. */
  requireSecret: (
    kind: SecretKind,
    headers: IncomingHttpHeaders,
    body: () => Promise<string>,
  ) => Promise<string | null>;
  /** For forms that come with a key. */
  checkKey: CheckKey;
  /** Whether an origin belongs to one of the sites. */
  isSiteOrigin: (origin: string) => Promise<boolean>;
  trackLimit: SharedRateLimit;
  /** For forms sent by browsers. */
  captureLimit: SharedRateLimit;
  wrongKeyLimit: RateLimit;
  /** Per shared link, because questions are expensive. */
  sharedLinkLimit: RateLimit;
  /** Whether an address is exempt from limits. */
  isWhitelisted: (ip: string) => Promise<boolean>;
  publicUrl: string | undefined;
  responseCache: ResponseCache;
  metrics: Metrics;
  log: Log;
  /** While draining, connections are not kept alive. */
  isDraining: () => boolean;
};
