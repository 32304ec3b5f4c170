import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { visitorScore } from '../../server/src/domain/tracking/engagement.ts';
import { MINUTE_MS } from '../../server/src/lib/utc-time.ts';
import { call } from './analytics-calls.ts';
import { anEvent, PAGE } from './builders.ts';
import type { Clock } from './clock.ts';
import { row } from './database.ts';
import { assertCaptured, sendFromServer } from './enquiries.ts';
import type { TestService } from './service.ts';
import { sendEvents, startSession } from './visits.ts';

/*
 * What happens to leads, done to the service over HTTP and to a model of a few lines. A lead goes by its e-mail
 * address; each has its own project and its own visitors, so that nobody is taken for somebody else.
 */

export type Sent = {
  email: string;
  name: string;
  phone: string;
  project: string;
  visitor: string;
  timeToSubmit: keyof typeof RISKS;
};

/** Somebody who is told from others by no more than a test is about. */
export function aPerson(id: string, sent: Partial<Sent> = {}): Sent {
  return {
    email: `${id}@example.org`,
    name: '',
    phone: '',
    project: `Project of ${id}`,
    visitor: '',
    timeToSubmit: '30',
    ...sent,
  };
}

export type Step =
  | { kind: 'submit'; sent: Sent }
  | { kind: 'view'; email: string }
  | { kind: 'move'; email: string; status: LeadStatus };

/** By the seconds that the form took. */
const RISKS = { '1': 40, '3': 20, '30': 0 } as const;
/** What visitors have done, by how their ids begin. */
const VISITS = {
  hot: { page_views: 5, engaged_ms: 180_000, scroll_depth: 100, touched: 1 },
  cool: { page_views: 4, engaged_ms: 0, scroll_depth: 0, touched: 0 },
} as const;

export type ModelLead = {
  email: string;
  name: string;
  phone: string;
  /** All that was submitted, the first one first. */
  sent: readonly Sent[];
  score: number;
  risk: number;
  followUps: number;
  lastFollowUpAt: number | null;
  status: LeadStatus;
  needsReview: boolean;
};

/** In the order in which they became leads. */
export type Model = readonly ModelLead[];

export function afterStep(model: Model, step: Step, at: number): Model {
  const email = step.kind === 'submit' ? step.sent.email : step.email;
  const known = model.find((lead) => lead.email === email);
  if (known === undefined) return step.kind === 'submit' ? [...model, newLead(step.sent)] : model;
  const changed = { ...known, ...changeOf(known, step, at) };
  return model.map((lead) => (lead === known ? changed : lead));
}

function changeOf(lead: ModelLead, step: Step, at: number): Partial<ModelLead> {
  if (step.kind === 'view') return { needsReview: false };
  if (step.kind === 'move') return { status: step.status };
  const { sent } = step;
  return {
    name: lead.name || sent.name,
    phone: lead.phone || sent.phone,
    sent: [...lead.sent, sent],
    score: scoreOf([...lead.sent, sent]),
    // Another browser may be a stranger's.
    risk: isOfPerson(lead, sent) ? Math.max(lead.risk, RISKS[sent.timeToSubmit]) : lead.risk,
    followUps: lead.followUps + 1,
    lastFollowUpAt: at,
    needsReview: true,
  };
}

function newLead(sent: Sent): ModelLead {
  const { email, name, phone } = sent;
  return {
    ...{ email, name, phone },
    sent: [sent],
    score: scoreOf([sent]),
    risk: RISKS[sent.timeToSubmit],
    followUps: 0,
    lastFollowUpAt: null,
    status: 'new',
    needsReview: true,
  };
}

function isOfPerson({ sent: [first] }: ModelLead, { visitor }: Sent): boolean {
  return visitor !== '' && visitor === first?.visitor;
}

/** All that the person's visitors have done, taken together. */
function scoreOf(sent: readonly Sent[]): number {
  const visitors = [...new Set(sent.map(({ visitor }) => visitor))];
  const visits = visitors.flatMap((visitor) => VISITS[visitor.split('-')[0] as keyof typeof VISITS] ?? []);
  const sum = (of: (visit: (typeof visits)[number]) => number) =>
    visits.reduce((all, each) => all + of(each), 0);
  const most = (of: (visit: (typeof visits)[number]) => number) => Math.max(0, ...visits.map(of));
  if (visits.length === 0) return 0;
  return visitorScore({
    session_count: visits.length,
    page_views: sum((each) => each.page_views),
    engaged_ms: sum((each) => each.engaged_ms),
    scroll_depth: most((each) => each.scroll_depth),
    touched: most((each) => each.touched),
  });
}

/** As the query string has it; what is left out lets all through. */
export type ListQuery = {
  q?: string;
  status?: LeadStatus;
  has_follow_ups?: boolean;
  seen?: boolean;
  sort?: LeadSort;
  limit?: number;
  offset?: number;
};

/** The e-mail addresses of a page, and how many leads there are on all pages. */
export type ListedPage = { emails: string[]; total: number };

export function expectedPage(model: Model, query: ListQuery): ListedPage {
  const { sort = 'newest', limit = 25, offset = 0 } = query;
  const found = model
    .map((lead, number) => ({ lead, number }))
    .filter(({ lead }) => passes(lead, query))
    .sort(COMPARISONS[sort]);
  return {
    emails: found.slice(offset, offset + limit).map(({ lead }) => lead.email),
    total: found.length,
  };
}

function passes(lead: ModelLead, { q = '', status, has_follow_ups, seen }: ListQuery): boolean {
  return (
    (status === undefined || lead.status === status) &&
    (has_follow_ups === undefined || lead.followUps > 0 === has_follow_ups) &&
    (seen === undefined || seen !== lead.needsReview) &&
    (hasWords(lead, q) || hasNumber(lead, q))
  );
}

/** Every word in one of the fields, or the whole in one where a word is too short; none at all is no search. */
function hasWords({ sent }: ModelLead, q: string): boolean {
  const texts = sent
    .flatMap(({ name, email, phone, project, visitor }) => [
      ...[name, email, phone, numberOf(phone)],
      ...[project, visitor],
    ])
    .map(plain);
  const words = plain(q.trim()).split(/\s/);
  const pieces = words.some((word) => word.length < 3) ? [plain(q.trim())] : words;
  return pieces.every((piece) => texts.some((text) => text.includes(piece)));
}

function hasNumber({ sent }: ModelLead, q: string): boolean {
  const digits = digitsOf(q);
  const isNumber = /^[-\d +]+$/.test(q) && digits.length >= 5;
  return isNumber && sent.some(({ phone }) => numberOf(phone).includes(digits));
}

/** Those that do not name their country are sent as Indian ones. */
function numberOf(phone: string): string {
  return phone === '' ? '' : `+${phone.startsWith('+') ? '' : '91'}${digitsOf(phone)}`;
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '');
}

type Numbered = { lead: ModelLead; number: number };
type Comparison = (a: Numbered, b: Numbered) => number;

/** Those that are equal follow each other as they came, the other way round where the order is descending. */
function by(key: (lead: ModelLead) => number, direction: 1 | -1): Comparison {
  return (a, b) => direction * (key(a.lead) - key(b.lead) || a.number - b.number);
}

/** By the bytes of the name in lower case and without accents; leads without a name come last. */
const byName: Comparison = (a, b) =>
  Number(a.lead.name === '') - Number(b.lead.name === '') ||
  Buffer.compare(Buffer.from(plain(a.lead.name)), Buffer.from(plain(b.lead.name))) ||
  a.number - b.number;

const COMPARISONS: Readonly<Record<LeadSort, Comparison>> = {
  newest: by(() => 0, -1),
  oldest: by(() => 0, 1),
  last_follow_up: by((lead) => lead.lastFollowUpAt ?? 0, -1),
  score_desc: by((lead) => lead.score, -1),
  score_asc: by((lead) => lead.score, 1),
  risk_desc: by((lead) => lead.risk, -1),
  risk_asc: by((lead) => lead.risk, 1),
  name_asc: byName,
};

/** Longer than submissions count as frequent. */
const STEP_MS = 11 * MINUTE_MS;

async function perform(service: TestService, step: Step): Promise<void> {
  if (step.kind === 'submit') return submit(service, step.sent);
  const path = `/analytics/leads/${await leadIdOf(service, step.email)}`;
  const answer =
    step.kind === 'view'
      ? await call(service, 'GET', path)
      : await call(service, 'PATCH', path, { body: { status: step.status } });
  if (answer.status !== 200) throw new Error(`${step.kind} answered ${answer.status}.`);
}

async function submit(service: TestService, { timeToSubmit, ...sent }: Sent): Promise<void> {
  const fields = {
    EMAIL: sent.email,
    FIRSTNAME: sent.name,
    PHONE: sent.phone,
    PROJECT: sent.project,
    __visitor_id: sent.visitor,
    __pg_tts: timeToSubmit,
  };
  await assertCaptured(sendFromServer(service, fields));
  // The figures follow by themselves, but not at once.
  while ((await service.app.store.refreshLeadFigures({ max: 100 })) > 0);
}

export async function leadIdOf(service: TestService, email: string): Promise<number> {
  const { lead_id } = await row<{ lead_id: number }>(
    service,
    `select cast(lead_id as integer) as lead_id from leads where contact_email = '${email}'`,
  );
  return lead_id;
}

/** One step after the other; says what the model makes of them. */
export async function performAll(
  service: TestService,
  steps: readonly Step[],
  { model = [], clock, gapMs = STEP_MS }: { model?: Model; clock: Clock; gapMs?: number },
): Promise<Model> {
  let after = model;
  for (const step of steps) {
    clock.advance(gapMs);
    await perform(service, step);
    after = afterStep(after, step, clock.now());
  }
  return after;
}

/** Does as much on the site as the beginning of the id says. */
export async function visitSite(service: TestService, visitor: string): Promise<void> {
  const { session_id } = await startSession(service, { fingerprint_id: visitor, visitor_id: visitor });
  const isHot = visitor.startsWith('hot');
  await sendEvents(service, session_id, [
    ...Array.from({ length: isHot ? 4 : 3 }, (_, i) => anEvent({ type: 'page_view', page: `${PAGE}${i}` })),
    ...(isHot ? HOT_EVENTS : []),
  ]);
}

const HOT_EVENTS = [
  anEvent({ type: 'engaged', data: { ms: 180_000 } }),
  anEvent({ type: 'scroll', data: { depth: 100 } }),
  anEvent({ type: 'cta_click' }),
];

type Listed = { leads: { contact_email: string }[]; total: number };

export async function listedPage(service: TestService, query: ListQuery): Promise<ListedPage> {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const { leads, total } = await service.get<Listed>(`/analytics/leads?${new URLSearchParams(given)}`);
  return { emails: leads.map((lead) => lead.contact_email), total };
}
