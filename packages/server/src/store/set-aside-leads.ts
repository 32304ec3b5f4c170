import type { SET_ASIDE_PERIODS } from '@leadtrail/contract/set-aside-leads';
import type { Insertable } from 'kysely';
import { rateLimitKey } from '../lib/ip-address.ts';
import { DAY_MS, dateTime, dayStart, utcDay } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { ipContains } from './ip-lists.ts';
import { read, write } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { SetAsideLeadRow } from './schema.ts';

/** Submissions that did not become leads. */

type Kind = SetAsideLeadRow['kind'];
export type SetAsideLead = Omit<Insertable<SetAsideLeadRow>, 'id' | 'client' | 'accepted_at' | 'deleted_at'>;
export type SetAsidePeriod = (typeof SET_ASIDE_PERIODS)[number];

const COLUMNS = [
  'id',
  'ip',
  'received_at',
  'contact_email',
  'contact_name',
  'contact_phone',
  'contact_country_code',
  'project_name',
  'source',
  'referer',
  'payload_json',
  'site_key',
  'form_id',
  'reason',
] as const;
const SEARCHED = ['contact_email', 'contact_name', 'contact_phone', 'project_name', 'source'] as const;

const DAYS_BACK: Readonly<Record<Exclude<SetAsidePeriod, 'all'>, number>> = {
  today: 0,
  yesterday: 1,
  past_7_days: 7,
  past_14_days: 14,
  past_30_days: 30,
};

/** Of one client within a UTC day. */
const KEPT_PER_DAY_MAX = 100;

/**
 * False: the client has reached its limit for this day, and the lead is not kept. Nothing is locked:
 * concurrent ones may exceed the limit by a few.
 */
export const setAside = write(
  { changes: ['set-aside'] },
  async (db, lead: SetAsideLead): Promise<boolean> => {
    const today = dayStart(utcDay(lead.received_at));
    const kept = await db.query
      .selectFrom('set_aside_leads')
      .select('id')
      .where('client', '=', rateLimitKey(lead.ip))
      .where('received_at', '>=', today)
      .where('received_at', '<', today + DAY_MS)
      .limit(KEPT_PER_DAY_MAX)
      .execute();
    if (kept.length >= KEPT_PER_DAY_MAX) return false;
    await setAsideAlways(db, lead);
    return true;
  },
);

export async function setAsideAlways({ query }: Db, lead: SetAsideLead): Promise<void> {
  await query
    .insertInto('set_aside_leads')
    .values({ ...lead, client: rateLimitKey(lead.ip) })
    .execute();
}

type SetAsideAsked = Page & {
  kind: Kind;
  ip: string;
  q: string;
  period: SetAsidePeriod;
  now: number;
  siteKeys?: readonly string[] | undefined;
  /** Within the period, in milliseconds; `until` is exclusive. */
  from?: number | undefined;
  until?: number | undefined;
};

/** A page of one kind without what was accepted or deleted, latest first. An empty filter lets everything through. */
export const setAsideLeads = read({ shows: ['set-aside'] }, async (db, asked: SetAsideAsked) => {
  const { ip, q, siteKeys, from, until } = asked;
  const period = boundsOf(asked.period, asked.now);
  const shown = db.query
    .selectFrom('set_aside_leads')
    .where('kind', '=', asked.kind)
    .where('deleted_at', 'is', null)
    .where('accepted_at', 'is', null)
    .where('received_at', '>=', Math.max(period.from, from ?? period.from))
    .where('received_at', '<', Math.min(period.until, until ?? period.until))
    .$if(siteKeys !== undefined, (select) => select.where('site_key', 'in', db.dialect.anyOf(siteKeys ?? [])))
    .$if(ip !== '', (select) => select.where(ipContains(db, ip)))
    .$if(q !== '', (select) =>
      select.where(({ or }) =>
        or([ipContains(db, q), ...SEARCHED.map((column) => db.dialect.contains(column, q))]),
      ),
    );
  const rows = await shown
    .select(COLUMNS)
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const leads = rows.map((row) => ({ ...row, received_at: dateTime(row.received_at) }));
  return { leads, total: await countOf(shown) };
});

/** Whole UTC days, up to now except for `yesterday`. */
function boundsOf(period: SetAsidePeriod, now: number): { from: number; until: number } {
  if (period === 'all') return { from: 0, until: Number.MAX_SAFE_INTEGER };
  const today = dayStart(utcDay(now));
  const from = today - DAYS_BACK[period] * DAY_MS;
  return { from, until: period === 'yesterday' ? today : Number.MAX_SAFE_INTEGER };
}

/** Hides leads of a kind (soft delete); returns how many of them were shown until now. */
export const deleteSetAside = write(
  { changes: ['set-aside'] },
  async (
    { query, dialect },
    { kind, ids, now }: { kind: Kind; ids: readonly number[]; now: number },
  ): Promise<number> => {
    if (ids.length === 0) return 0;
    const { numUpdatedRows } = await query
      .updateTable('set_aside_leads')
      .set({ deleted_at: now })
      .where('kind', '=', kind)
      .where('id', 'in', dialect.anyOf(ids))
      .where('deleted_at', 'is', null)
      .where('accepted_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  },
);
