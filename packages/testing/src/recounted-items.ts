import type { Attribution, DimensionName } from '@leadtrail/contract/question-fields';
import { touchesOf } from '../../server/src/domain/leads/touches.ts';
import { channelOf } from '../../server/src/domain/tracking/channels.ts';
import { deviceOf } from '../../server/src/domain/tracking/device.ts';
import { visitOrigin } from '../../server/src/domain/tracking/visit-origin.ts';
import type { Reader, Row } from './database.ts';

/** Everything in the store that can count in an answer, read from its rows as slowly as it takes. */

export const UNKNOWN = '(unknown)';
const NONE = '(none)';
export const DAY_MS = 86_400_000;
const OF_TOUCH = [
  'channel',
  'source',
  'medium',
  'campaign',
  'term',
  'content',
  'referrer',
  'click_id',
  'entry_page',
] as const;

type Texts = Partial<Record<DimensionName, string>>;
/** Something that counts: a visit, a submission, a lead, a cost. */
export type Item = {
  kind: 'visit' | 'submission' | 'lead' | 'cost';
  at: number;
  texts: Texts;
  events?: string[];
  pages?: string[];
  share: number;
  /** Touches of one lead share it. */
  id: string;
  row: Row;
};

export type StoreRows = Awaited<ReturnType<typeof readStore>>;

export async function readStore(reader: Reader) {
  const select = (table: string) => reader.rows<Row>(`select * from ${table}`);
  return {
    sessions: await select('sessions'),
    events: await select('events'),
    pages: await select('session_pages'),
    leads: await select('leads'),
    submissions: await reader.rows<Row>('select * from submissions order by submission_id'),
    moves: await select('lead_stage_moves'),
    merges: await select('lead_merges'),
    crm: await select('crm_activity'),
    costs: await select('costs'),
    identities: await select('lead_identities'),
    settings: await select('settings'),
  };
}

/** Many questions are asked of the same rows. */
const remembered = new WeakMap<StoreRows, Map<Attribution, Item[]>>();

export function itemsOf(store: StoreRows, attribution: Attribution): Item[] {
  const known = remembered.get(store) ?? new Map<Attribution, Item[]>();
  remembered.set(store, known);
  const items = known.get(attribution) ?? readItems(store, attribution);
  known.set(attribution, items);
  return items;
}

function readItems(store: StoreRows, attribution: Attribution): Item[] {
  const portals = settingOf(store, 'portal_domains') ?? [];
  return [
    ...store.sessions.map(visitItem(store)),
    ...store.leads.flatMap((lead) => leadItems(store, lead, attribution, portals)),
    ...store.costs.map((cost) => costItem(cost, portals)),
  ];
}

function settingOf(store: StoreRows, name: string) {
  return JSON.parse(String(store.settings.find((each) => each.name === name)?.value ?? 'null'));
}

function visitItem(store: StoreRows): (session: Row) => Item {
  return (session) => ({
    kind: 'visit',
    at: Number(session.started_at),
    texts: visitTexts(session),
    events: [
      ...new Set([
        'page_view',
        ...store.events.filter((e) => e.session_id === session.session_id).map((e) => String(e.type)),
      ]),
    ],
    pages: [
      ...new Set([
        String(session.entry_page).split(/[?#]/, 1)[0] ?? '',
        ...store.pages.filter((p) => p.session_id === session.session_id).map((p) => String(p.page)),
      ]),
    ],
    share: 1,
    id: `v${session.session_id}`,
    row: session,
  });
}

function visitTexts(session: Row): Texts {
  const or = (value: unknown, other: string) => (value === null || value === '' ? other : String(value));
  return {
    site: or(session.site_key, UNKNOWN),
    channel: or(session.channel, UNKNOWN),
    source: or(session.source, UNKNOWN),
    medium: or(session.medium, UNKNOWN),
    campaign: or(session.campaign, NONE),
    term: or(session.term, NONE),
    content: or(session.content, NONE),
    referrer: isOwn(session) ? '(direct)' : String(session.referrer_domain),
    click_id: or(session.click_id, 'none'),
    entry_page: String(session.entry_page).split(/[?#]/, 1)[0] ?? '',
    exit_page: String(session.exit_page).split(/[?#]/, 1)[0] ?? '',
    country: session.country === 'XX' ? UNKNOWN : String(session.country),
    region: or(session.region, UNKNOWN),
    city: or(session.city, UNKNOWN),
    ...deviceOf(session.user_agent as string | null),
    language: or(session.language, UNKNOWN),
    visitor_type: session.return_visits === 0 ? 'new' : 'returning',
  };
}

function isOwn({ source, entry_page, referrer_domain }: Row): boolean {
  const host = URL.parse(String(entry_page))?.hostname.replace(/^www\./, '');
  return source === '(direct)' || referrer_domain === host;
}

function leadItems(store: StoreRows, lead: Row, attribution: Attribution, portals: string[]): Item[] {
  const own = store.submissions.filter(({ lead_id }) => lead_id === lead.lead_id);
  const shown =
    own.find(({ submission_id }) => submission_id === lead.shown_submission_id) ??
    own.find(({ is_primary_lead }) => is_primary_lead === 1) ??
    own[0];
  return own.flatMap((submission) => {
    const known = store.identities.filter(
      ({ kind, lead_id }) => kind === 'visitor' && lead_id === lead.lead_id,
    );
    const others = submission === shown ? known.map(({ value }) => value ?? null) : [];
    const attributed = attributedTexts(store, submission, others, attribution, portals);
    const formed = {
      form: String(submission.form_id) || NONE,
      project: String(submission.project_name) || NONE,
      form_source: String(submission.source) || NONE,
      stage: String(lead.status),
    };
    return attributed.flatMap(({ share, texts }): Item[] => {
      const item = { share, texts: { ...texts, ...formed }, row: { ...lead, ...factsOf(store, lead) } };
      const at = Number(submission.submitted_at);
      const items: Item[] = [{ ...item, kind: 'submission', at, id: `s${submission.submission_id}` }];
      if (submission === shown && lead.is_bot_lead === 0)
        items.push({ ...item, kind: 'lead', at: Number(lead.created_at), id: `l${lead.lead_id}` });
      return items;
    });
  });
}

function factsOf(store: StoreRows, lead: Row): Row {
  const merged = store.merges
    .filter((each) => each.into_lead_id === lead.lead_id)
    .map((each) => each.merged_lead_id);
  const moves = store.moves.filter(
    ({ lead_id }) => lead_id === lead.lead_id || merged.includes(lead_id ?? null),
  );
  const reached = ['qualified', 'proposal', 'won'];
  const times = [
    ...moves.filter(({ moved_by }) => moved_by !== 'merge').map(({ at }) => Number(at)),
    ...store.crm.filter(({ lead_id }) => lead_id === lead.lead_id).map((each) => Number(each.received_at)),
  ];
  return {
    reached: [String(lead.status), ...moves.map((each) => String(each.to_status))].some((s) =>
      reached.includes(s),
    )
      ? 1
      : 0,
    response: times.length === 0 ? null : Math.max(Math.min(...times) - Number(lead.created_at), 0),
  };
}

function attributedTexts(
  store: StoreRows,
  submission: Row,
  others: readonly Row[string][],
  attribution: Attribution,
  portals: string[],
) {
  const at = Number(submission.submitted_at);
  const days = settingOf(store, 'attribution_days') ?? 90;
  const visits = store.sessions
    .filter(({ visitor_id }) => visitor_id === submission.visitor_id || others.includes(visitor_id ?? null))
    .filter((s) => Number(s.started_at) <= at && Number(s.started_at) >= at - days * DAY_MS)
    .sort(
      (a, b) =>
        Number(a.started_at) - Number(b.started_at) || (String(a.session_id) < String(b.session_id) ? -1 : 1),
    );
  const latest = visits.at(-1);
  const own = visits.filter(({ visitor_id }) => visitor_id === submission.visitor_id);
  const visit =
    own.findLast(({ site_key }) => (site_key ?? '') === submission.site_key) ?? own.at(-1) ?? latest;
  if (latest === undefined || visit === undefined)
    return [{ share: 1, texts: formTexts(submission, portals) }];
  const touches = touchesOf(
    visits.map((s) => ({
      ...s,
      session_id: String(s.session_id),
      started_at: Number(s.started_at),
      channel: String(s.channel),
    })),
    at,
    days,
  ) as Row[];
  const chosen = {
    last: [latest],
    first: touches.slice(0, 1),
    last_non_direct: [touches.findLast(({ channel }) => channel !== 'Direct') ?? latest],
    linear: touches,
  }[attribution];
  return chosen.map((touch) => {
    const origin = visitTexts(touch);
    const texts = {
      ...visitTexts(visit),
      ...Object.fromEntries(OF_TOUCH.map((name) => [name, origin[name]])),
    };
    return { share: 1 / chosen.length, texts };
  });
}

function formTexts(submission: Row, portals: string[]): Texts {
  const payload = JSON.parse(String(submission.payload_json)) as Record<string, string>;
  const params = Object.fromEntries(
    Object.entries(payload)
      .filter(([name]) =>
        /^__(?:utm_(?:source|medium|campaign|term|content)|gclid|fbclid|msclkid)$/.test(name),
      )
      .map(([name, value]) => [name.slice(2), value]),
  );
  const site = String(submission.site_key) || UNKNOWN;
  if (Object.keys(params).length === 0) return { site };
  const { click_id, ...origin } = visitOrigin(params, '', portals);
  return { site, ...origin, click_id: click_id || 'none' };
}

function costItem(cost: Row, portals: string[]): Item {
  const [source, medium, campaign] = [String(cost.source), String(cost.medium), String(cost.campaign)];
  return {
    kind: 'cost',
    at: Date.parse(`${cost.day}T00:00:00Z`),
    texts: {
      site: String(cost.site_key) || UNKNOWN,
      ...{ source, medium, campaign, channel: channelOf({ source, medium, campaign }, portals) },
    },
    share: 1,
    id: `c${JSON.stringify(cost)}`,
    row: cost,
  };
}
