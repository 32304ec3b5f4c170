import assert from 'node:assert/strict';
import { navigateDescribed } from './checked-answers.ts';
import { ADMIN_KEY, type TestService } from './service.ts';

/** What websites and servers send when somebody enquires. */

export const SITE_KEY = 'site-1';
export const FORM_ID = 'form-1';
export const SITE_PAGE = 'https://www.example.com/riverside';
export const INTEGRATION_KEY = 'integration-key-for-tests';
export const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

/** So that `INTEGRATION_KEY` may submit leads. */
export const CAPTURE_ENV = { LEAD_CAPTURE_API_KEY: INTEGRATION_KEY };

export type Fields = Record<string, string | number | boolean | null | object>;

export function anEnquiry(sent: Fields = {}): Fields {
  return {
    FIRSTNAME: 'Ada',
    EMAIL: 'ada@example.org',
    PHONE: '98765 43210',
    COUNTRYCODE: '+91',
    PROJECT: 'Riverside',
    SOURCE: 'WebSite',
    DOMAIN: 'https://www.example.com/riverside',
    __pg_tts: '30',
    ...sent,
  };
}

/** The site that forms belong to in these tests. */
export async function setUpSite(service: TestService): Promise<void> {
  const admin = { 'x-api-key': ADMIN_KEY };
  const site = { site_key: SITE_KEY, name: 'Example', domains: ['example.com', '*.landing.example'] };
  assert.equal((await service.post('/analytics/sites', site, admin)).status, 201);
  const form = { site_key: SITE_KEY, form_id: FORM_ID, name: 'Enquiry' };
  assert.equal((await service.post('/analytics/forms', form, admin)).status, 201);
}

type Sending = { headers?: Record<string, string>; ip?: string; path?: string };

/** As a browser sends a form, without following the redirect. */
export function sendForm(service: TestService, sent: Fields = {}, sending: Sending = {}): Promise<Response> {
  const fields = { siteKey: SITE_KEY, formId: FORM_ID, ...anEnquiry(sent) };
  return navigateDescribed(service.url + (sending.path ?? '/lead.capture'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': BROWSER,
      origin: 'https://www.example.com',
      referer: SITE_PAGE,
      'x-forwarded-for': sending.ip ?? '198.51.100.7',
      ...sending.headers,
    },
    body: new URLSearchParams(
      Object.entries(fields).map(([name, value]) => [name, String(value)]),
    ).toString(),
  });
}

/** As a server sends a lead. */
export function sendFromServer(
  service: TestService,
  sent: Fields = {},
  sending: Sending = {},
): Promise<Response> {
  return navigateDescribed(service.url + (sending.path ?? '/lead.capture'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': INTEGRATION_KEY,
      'x-forwarded-for': sending.ip ?? '198.51.100.8',
      ...sending.headers,
    },
    body: JSON.stringify(anEnquiry(sent)),
  });
}

/** Taken, whatever page it leads to. */
export async function assertCaptured(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  const text = await response.clone().text();
  assert.ok(response.status === 301 || response.status === 200, `${response.status} ${text}`);
  return response;
}
