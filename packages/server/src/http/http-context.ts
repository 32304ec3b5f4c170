import type { IncomingHttpHeaders } from 'node:http';
import type { CheckKey } from '../flows/check-key.ts';
import type { OpenedLink } from '../flows/open-shared-link.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Role, SecretKind } from './authenticate.ts';
import type { ClientIp, ClientSource } from './client-ip.ts';
import type { RateLimit, SharedRateLimit } from './rate-limit.ts';
import type { ResponseCache } from './response-cache.ts';

/** What answering any request may need. */
export type HttpContext = {
  now: () => number;
  newRequestId: () => string;
  clientIp: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientIp;
  clientSource: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientSource;
  /** The role of the key, or the shared link that it is the token of. */
  authenticate: (headers: IncomingHttpHeaders) => Promise<Role | OpenedLink>;
  /** Refuses requests without the secret of the callbacks or of the CRM; the id of one that is signed. */
  requireSecret: (
    kind: SecretKind,
    headers: IncomingHttpHeaders,
    body: () => Promise<string>,
  ) => Promise<string | null>;
  /** Of a form that comes with a key. */
  checkKey: CheckKey;
  /** Whether an origin belongs to one of the sites. */
  isSiteOrigin: (origin: string) => Promise<boolean>;
  trackLimit: SharedRateLimit;
  /** For forms that browsers send. */
  captureLimit: SharedRateLimit;
  wrongKeyLimit: RateLimit;
  /** Per shared link, because questions are expensive. */
  sharedLinkLimit: RateLimit;
  /** Addresses that are not limited. */
  isWhitelisted: (ip: string) => Promise<boolean>;
  publicUrl: string | undefined;
  responseCache: ResponseCache;
  metrics: Metrics;
  log: Log;
  /** While the service drains, connections are not kept. */
  isDraining: () => boolean;
};
