import assert from 'node:assert/strict';
import type { Form } from '@leadtrail/contract/forms';
import type { Integration } from '@leadtrail/contract/integrations';
import type { Site } from '@leadtrail/contract/sites';
import { call, type Refusal } from './analytics-calls.ts';
import type { TestService } from './service.ts';

/** Sites, forms and integrations, set up as the dashboard does it. A test names only what it is about. */

export const SITES = '/analytics/sites';
export const FORMS = '/analytics/forms';
export const INTEGRATIONS = '/analytics/integrations';

export type IntegrationWithKey = Integration & { api_key: string };

export const aSite = (service: TestService, given: object = {}) =>
  create<Site>(service, SITES, { name: 'Shop', ...given });

export const aForm = (service: TestService, given: object) =>
  create<Form>(service, FORMS, { name: 'Contact', ...given });

export const anIntegration = (service: TestService, given: object = {}) =>
  create<IntegrationWithKey>(service, INTEGRATIONS, { name: 'Server', ...given });

export const patch = <T = Refusal>(service: TestService, path: string, body: unknown) =>
  call<T>(service, 'PATCH', path, { body });

async function create<T>(service: TestService, path: string, body: unknown): Promise<T> {
  const answer = await call<T>(service, 'POST', path, { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
