import type { z } from 'zod';

/**
 * Who may call an endpoint. `marketing` is the lesser analytics role: an admin key passes there too. `shared`
 * also lets in the token of a shared link, which the handler limits to its sites. The last two are the
 * secrets of the automation platform and of the CRM.
 */
export type Auth = 'public' | 'shared' | 'marketing' | 'admin' | 'callback' | 'crm-webhook';

/** What a browser or proxy may keep. `immutable` is for files whose name changes with their content. */
export type CachePolicy = 'no-store' | 'one-minute' | 'immutable';

/** What the endpoints are about, in the order of the documentation. */
export const GROUPS = {
  Tracking: 'What the tracker sends. Public, and rate-limited per client.',
  'Lead capture': 'What forms and servers send.',
  Callbacks: 'What the automation platform and the CRM report back.',
  Statistics: 'Ready-made reports.',
  Questions: 'Any question about visits, leads and money, the rows behind a figure, costs and conversions.',
  Leads: 'Leads, their submissions and stages; rejected and testing leads.',
  Replays: 'Recordings of visits.',
  Deliveries: 'Deliveries of leads to the automation platform.',
  'IP lists': 'IP addresses and ranges that are blocked or whitelisted.',
  Campaigns: 'Submissions by day, project, source and engagement.',
  Management: 'Sites, forms, integrations, settings and erasure.',
  Service: 'Health, metrics and this documentation.',
} as const;
export type Group = keyof typeof GROUPS;

export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Parameters are written `:name`. */
  readonly path: `/${string}`;
  readonly group: Group;
  readonly summary: string;
  readonly auth: Auth;
  readonly cache: CachePolicy;
  /** Announced by every answer, in the headers Sunset and Link. */
  readonly deprecated?: { readonly sunset: string; readonly successor: string };
  /** CORS: any origin, or those of the sites that are set up. */
  readonly origins?: 'any' | 'sites';
  /** Polled by load balancers, some of which speak HTTP/1.0: needs no Host header and is not logged. */
  readonly isHealthCheck?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers that a caller may send besides its key; described here, read by the handler. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** No body means an empty object. */
  readonly isBodyOptional?: true;
  /** A form instead of a JSON body, in any of four encodings; the schema describes it, the handler reads it. */
  readonly form?: z.ZodObject;
  /** The body is a file of this content type, as it is or as the part `file` of a multipart form. */
  readonly file?: string;
  /** The JSON body may be gzipped and nest deeply; the handler parses it as far as needed. */
  readonly packed?: true;
  readonly bodyBytesMax?: number;
  /** The content type of the answer where it is not JSON. */
  readonly produces?: string;
  /** An alternative content type by content negotiation; the handler then answers with the text itself. */
  readonly alsoProduces?: string;
  /** The answer is streamed in one of these content types; its schema describes it as JSON. */
  readonly streams?: readonly string[];
  /** Status to schema; the first success is what a handler answers unless it says otherwise. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
};

export function endpoint<const E extends Endpoint>(declared: E): E {
  return declared;
}

type SuccessStatus = 200 | 201 | 202 | 301;

export type ParamsOf<E extends Endpoint> = E['params'] extends z.ZodType ? z.output<E['params']> : undefined;
export type QueryOf<E extends Endpoint> = E['query'] extends z.ZodType ? z.output<E['query']> : undefined;
export type BodyOf<E extends Endpoint> = E['packed'] extends true
  ? undefined
  : E['body'] extends z.ZodType
    ? z.output<E['body']>
    : undefined;
export type AnswerOf<E extends Endpoint> = E['streams'] extends readonly string[]
  ? AsyncIterable<string>
  : WholeAnswerOf<E>;
type WholeAnswerOf<E extends Endpoint> = {
  [S in keyof E['responses'] & SuccessStatus]: E['responses'][S] extends z.ZodType
    ? z.input<E['responses'][S]>
    : never;
}[keyof E['responses'] & SuccessStatus];

export function successStatus(declared: Endpoint): number {
  const status = Object.keys(declared.responses).map(Number).find(isSuccess);
  if (status === undefined) throw new Error(`${declared.method} ${declared.path} declares no success`);
  return status;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
