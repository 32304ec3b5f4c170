import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';

const serviceEndpoint = { method: 'GET', group: 'Service', auth: 'public', cache: 'no-store' } as const;

export const health = endpoint({
  ...serviceEndpoint,
  path: '/healthz',
  summary: 'The process is alive',
  responses: { 200: z.object({ status: z.literal('ok') }) },
});

export const readiness = endpoint({
  ...serviceEndpoint,
  path: '/readyz',
  summary: 'The stores are reachable and the service accepts requests',
  responses: { 200: z.object({ status: z.literal('ready') }), 500: ApiError, 503: ApiError },
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

export const docs = endpoint({
  ...serviceEndpoint,
  path: '/docs',
  summary: 'This API as a web page',
  produces: 'text/html; charset=utf-8',
  responses: { 200: z.string() },
});
