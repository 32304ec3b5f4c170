import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime } from './fields.ts';
import {
  bodyErrors,
  Deleted,
  errors,
  idErrors,
  idParams,
  managing,
  Name,
  page,
  writing,
} from './managing.ts';

/** Servers that may send leads, each with a key of its own. */

export const Integration = z
  .object({
    id: z.int(),
    name: z.string(),
    enabled: z.boolean(),
    key_prefix: z.string().describe('first characters of the key'),
    last_used_at: DateTime.nullable(),
    created_at: DateTime,
  })
  .meta({ id: 'Integration' });
export type Integration = z.output<typeof Integration>;

const IntegrationWithKey = z.object({
  ...Integration.shape,
  api_key: z.string().describe('shown only once'),
});

export const integrations = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/integrations',
  summary: 'Servers that may send leads, oldest first',
  query: z.object(page),
  responses: { 200: z.object({ integrations: z.array(Integration), total: Count }), ...errors },
});

export const createIntegration = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/integrations',
  summary: 'Let a server send leads; its key is shown only in this response',
  body: z.object({ name: Name, enabled: z.boolean().default(true) }),
  responses: { 201: IntegrationWithKey, ...bodyErrors },
});

export const integration = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/integrations/:id',
  summary: 'One integration',
  params: idParams,
  responses: { 200: Integration, ...idErrors },
});

export const updateIntegration = endpoint({
  ...writing,
  method: 'PATCH',
  path: '/analytics/integrations/:id',
  summary: 'Change an integration; omitted fields are kept',
  params: idParams,
  body: z.object({ name: Name.optional(), enabled: z.boolean().optional() }),
  responses: { 200: Integration, ...bodyErrors, 404: ApiError },
});

export const deleteIntegration = endpoint({
  ...managing,
  method: 'DELETE',
  path: '/analytics/integrations/:id',
  summary: 'Delete an integration; its key stops working',
  params: idParams,
  responses: { 200: Deleted, ...idErrors },
});

export const rotateIntegration = endpoint({
  ...managing,
  method: 'POST',
  path: '/analytics/integrations/:id/rotate',
  summary: 'Replace the key of an integration; the new one is shown only in this response',
  params: idParams,
  responses: { 200: IntegrationWithKey, ...idErrors },
});
