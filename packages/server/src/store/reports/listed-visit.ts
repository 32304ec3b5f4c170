import type { ListedVisit } from '@leadtrail/contract/listed-visit';
import type { VisitorLead } from '@leadtrail/contract/visitor-lead';
import { deviceOf } from '../../domain/tracking/device.ts';
import { pageKey } from '../../domain/tracking/page-address.ts';
import type { SessionRow } from '../schema.ts';

/** What is read of a session for every list of visits. */
export const LISTED_COLUMNS = [
  'session_id',
  'visitor_id',
  'started_at',
  'site_key',
  'entry_page',
  'exit_page',
  'channel',
  'source',
  'campaign',
  'country',
  'city',
  'user_agent',
  'page_views',
  'return_visits',
] as const satisfies readonly (keyof SessionRow)[];

export function listedVisit(
  session: Pick<SessionRow, (typeof LISTED_COLUMNS)[number]>,
  leads: ReadonlyMap<string, VisitorLead>,
): ListedVisit {
  const { session_id, started_at, site_key, channel, source, campaign, country, page_views } = session;
  const { device, browser } = deviceOf(session.user_agent);
  return {
    session_id,
    started_at,
    site_key,
    entry_page: pageKey(session.entry_page),
    channel,
    source,
    campaign,
    country,
    city: session.city ?? '',
    device,
    browser,
    page_views,
    is_returning: session.return_visits > 0,
    lead: leads.get(session.visitor_id) ?? null,
  };
}
