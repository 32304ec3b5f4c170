import { endpoints } from '@leadtrail/contract/endpoints';
import { GUIDE_NAMES } from '@leadtrail/contract/guides';
import { LEAD_SORTS } from '@leadtrail/contract/leads';
import { rows } from './database.ts';
import { ADMIN_KEY, type TestService } from './service.ts';

/** What every GET answers, for each row that has an address of its own, and for some of the questions lists can be asked. */

export async function everyAnswer(service: TestService): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const path of await everyPath(service)) {
    const response = await fetch(service.url + path, { headers: { 'x-api-key': ADMIN_KEY } });
    answers[path] = `${response.status} ${await response.text()}`;
  }
  return answers;
}

/** Details come first: to look at a lead changes what lists say of it. */
async function everyPath(service: TestService): Promise<string[]> {
  const single: string[] = [];
  const lists: string[] = [];
  for (const { method, path } of Object.values(endpoints)) {
    if (method !== 'GET' || ABOUT_THE_PROCESS.has(path)) continue;
    const parameter = /:\w+/.exec(path)?.[0];
    if (parameter === undefined) lists.push(path, ...(QUESTIONS[path] ?? []).map((query) => path + query));
    else for (const id of await idsFor(service, path)) single.push(path.replace(parameter, id));
  }
  return [...single, ...lists];
}

async function idsFor(service: TestService, path: string): Promise<readonly string[]> {
  if (path === '/docs/:guide') return GUIDE_NAMES;
  const select = IDS[path];
  if (select === undefined) throw new Error(`Nobody has said what can be asked of ${path}.`);
  return (await rows(service, select)).map(({ id }) => String(id));
}

const ABOUT_THE_PROCESS: ReadonlySet<string> = new Set(['/metrics']);

const IDS: Readonly<Record<string, string>> = {
  '/analytics/leads/:id': 'select lead_id as id from leads order by lead_id',
  '/analytics/sites/:id': 'select id from sites order by id',
  '/analytics/sites/:id/snippet': 'select id from sites order by id',
  '/analytics/forms/:id': 'select id from forms order by id',
  '/analytics/forms/:id/fields': 'select id from forms order by id',
  '/analytics/integrations/:id': 'select id from integrations order by id',
  '/analytics/dropdown-options/:id': 'select id from dropdown_options order by id',
  '/replay/:session_id': 'select session_id as id from replays order by session_id',
};

const LEAD_SEARCHES = ['ada', 'example.org', '98765', 'müller', 'zz-nobody'];

const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  '/analytics/leads': [
    ...LEAD_SORTS.map((sort) => `?limit=100&sort=${sort}`),
    ...LEAD_SEARCHES.map((q) => `?limit=100&q=${encodeURIComponent(q)}`),
    '?status=new',
    '?seen=true',
    '?seen=false',
    '?has_follow_ups=true',
  ],
  '/analytics/leads/export': ['?format=json', '?format=csv'],
  '/analytics/leads/submissions': [
    '?period=range&date_from=2025-12-01&limit=100',
    '?period=range&site=site-1',
  ],
  '/analytics/blocked-ip-leads': ['?from=2025-12-01&to=2025-12-31'],
  '/analytics/flow-sends': [
    '?status=pending',
    '?status=delivered',
    '?status=failed',
    '?limit=100',
    '?from=2025-12-01&site=site-1',
  ],
  '/analytics/sessions/daily': ['?days=90'],
  '/analytics/pages/top': ['?limit=100'],
  '/analytics/engine/submissions-daily': ['?days=90'],
  '/analytics/engine/by-project': ['?days=90'],
  '/analytics/engine/by-source': ['?days=90'],
  '/analytics/engine/by-engagement': ['?days=90'],
  '/analytics/engine/overview': ['?days=90'],
  '/forms/config': ['?siteKey=site-1&formId=form-1'],
  '/replay/sessions': ['?limit=100', '?from=2025-12-01&to=2025-12-31'],
};
