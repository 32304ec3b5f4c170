import assert from 'node:assert/strict';
import type { CallAnswer, Refusal } from './analytics-calls.ts';
import { row } from './database.ts';
import { assertCaptured, type Fields, sendFromServer } from './enquiries.ts';
import { ADMIN_KEY, MARKETING_KEY, type TestService } from './service.ts';

/** What the automation platform and the CRM report back, and the leads they report about. */

export const CRM_CALLBACK = '/lead.capture/crm-callback';
export const FLOW_CALLBACK = '/lead.capture/flow-callback';
export const CRM_WEBHOOK = '/webhooks/crm/lead';

export const CALLBACK_SECRET = 'callback-secret-for-tests';
export const WEBHOOK_SECRET = 'webhook-secret-for-tests';

export const BODY_BYTES_MAX = 256 * 1024;

export type Headers = Record<string, string>;
export type CrmIdAnswer = {
  ok: true;
  crm_lead_id: string;
  updated_lead: boolean;
  updated_submission: boolean;
  lead_public_id: string | null;
  lead_submission_public_id: string | null;
  lead_id: number | null;
};

/** A report with the callback secret, unless the headers say otherwise. */
export async function report<T = Refusal>(
  service: TestService,
  path: string,
  body: unknown,
  headers: Headers = { 'x-api-key': CALLBACK_SECRET },
): Promise<CallAnswer<T>> {
  const response = await service.post(path, body, headers);
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

/** Tells a CRM id, which has to be taken. */
export async function tellCrmId(service: TestService, body: object): Promise<CrmIdAnswer> {
  const answer = await report<CrmIdAnswer>(service, CRM_CALLBACK, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

export type CapturedLead = {
  email: string;
  lead_id: number;
  lead_public_id: string;
  lead_submission_id: number;
  lead_submission_public_id: string;
};

let people = 0;

/** A lead of someone new, unless an e-mail address says who it is; with the submission that was just made. */
export async function capture(service: TestService, sent: Fields = {}): Promise<CapturedLead> {
  people += 1;
  const email = String(sent.EMAIL ?? `person-${people}@example.com`);
  await assertCaptured(sendFromServer(service, { PHONE: '', ...sent, EMAIL: email }));
  const ids = await row<Omit<CapturedLead, 'email'>>(
    service,
    `select leads.lead_id, lead_public_id, submission_id as lead_submission_id, lead_submission_public_id
    from submissions join leads on leads.lead_id = submissions.lead_id
    where submissions.contact_email = '${email}' order by submission_id desc limit 1`,
  );
  return { email, ...ids };
}

/** Headers that do not hold the secret. */
export function headersWithout(secret: string, others: readonly string[] = []): Headers[] {
  const wrong = ['wrong', secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), ADMIN_KEY, MARKETING_KEY];
  return [
    {},
    { 'x-api-key': '' },
    { authorization: 'Bearer ' },
    { authorization: secret },
    { authorization: `Basic ${secret}` },
    { 'x-callback-secret': secret },
    ...[...wrong, ...others].flatMap((each) => [
      { 'x-api-key': each },
      { authorization: `Bearer ${each}` },
      { 'x-api-key': each, authorization: `Bearer ${each}` },
    ]),
  ];
}

/** Headers that hold the secret; of two the first valid one counts. */
export function headersWith(secret: string): Headers[] {
  return [
    { 'x-api-key': secret },
    { authorization: `Bearer ${secret}` },
    { authorization: `bearer  ${secret}` },
    { authorization: 'Bearer wrong', 'x-api-key': secret },
    { authorization: `Bearer ${secret}`, 'x-api-key': 'wrong' },
    { authorization: `Basic ${secret}`, 'x-api-key': secret },
  ];
}

/** A body of just so many bytes. */
export function padded(body: object, bytes: number): string {
  const bare = JSON.stringify({ ...body, padding: '' });
  return JSON.stringify({ ...body, padding: 'x'.repeat(bytes - bare.length) });
}
