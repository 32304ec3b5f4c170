import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';

const GUIDE_CHARS_MAX = 64;

const serviceEndpoint = { method: 'GET', group: 'Service', auth: 'public', cache: 'no-store' } as const;

const healthCheck = { ...serviceEndpoint, isHealthCheck: true } as const;
const Alive = z.object({ status: z.literal('ok') });

export const liveness = endpoint({
  ...healthCheck,
  path: '/livez',
  summary: 'The process is alive',
  responses: { 200: Alive },
});

export const health = endpoint({
  ...healthCheck,
  path: '/healthz',
  summary: 'The process is alive: the same as /livez',
  responses: { 200: Alive },
});

export const PURPOSES = ['tracking', 'leads', 'analytics'] as const;
export type Purpose = (typeof PURPOSES)[number];

export const readiness = endpoint({
  ...healthCheck,
  path: '/readyz',
  summary:
    'The process can accept tracking and leads, if only into its logs on disk; `for` checks a single purpose',
  query: z.object({
    for: z
      .enum(PURPOSES)
      .optional()
      .describe('analytics needs the store; tracking and leads are accepted while it is down'),
  }),
  responses: {
    200: z.object({
      status: z.literal('ready'),
      store: z.enum(['up', 'away']).describe('whether the relational store answers'),
    }),
    400: ApiError,
    500: ApiError,
    503: ApiError,
  },
});

export const metrics = endpoint({
  ...serviceEndpoint,
  path: '/metrics',
  summary: 'Prometheus metrics',
  auth: 'admin',
  produces: 'text/plain; version=0.0.4; charset=utf-8',
  responses: { 200: z.string(), 401: ApiError, 403: ApiError },
});

export const openapi = endpoint({
  ...serviceEndpoint,
  path: '/openapi.json',
  summary: 'This API as an OpenAPI document',
  responses: { 200: z.record(z.string(), z.unknown()) },
});

export const guide = endpoint({
  ...serviceEndpoint,
  path: '/docs/:guide',
  summary: 'A guide for marketers, integrators or operators as a web page',
  params: z.object({ guide: z.string().max(GUIDE_CHARS_MAX) }),
  produces: 'text/html; charset=utf-8',
  responses: { 200: z.string(), 400: ApiError, 404: ApiError, 500: ApiError, 503: ApiError },
});

export const docs = endpoint({
  ...serviceEndpoint,
  path: '/docs',
  summary: 'This API as a web page',
  produces: 'text/html; charset=utf-8',
  responses: { 200: z.string() },
});
