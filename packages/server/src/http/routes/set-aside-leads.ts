import { boundsOf } from '../../domain/leads/submission-period.ts';
import type { AcceptLead } from '../../flows/accept-lead.ts';
import type { SetAsidePeriod } from '../../store/set-aside-leads.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { type KeptFrom, kept } from '../kept.ts';
import { searchText } from '../search-text.ts';

type SetAsideName =
  | 'rejectedLeads'
  | 'deleteRejectedLeads'
  | 'acceptRejectedLead'
  | 'testingLeads'
  | 'deleteTestingLeads'
  | 'acceptTestingLead';
type Kind = 'rejected' | 'testing';
type ListQuery = {
  ip?: string | undefined;
  q?: string | undefined;
  period: SetAsidePeriod;
  site?: readonly string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  limit: number;
  offset: number;
};

const LISTED: KeptFrom = { from: ['setAsideLeads'], daily: true };

export function setAsideRoutes({
  store,
  now,
  acceptLead,
}: {
  store: Store;
  now: () => number;
  acceptLead: AcceptLead;
}): Pick<Handlers, SetAsideName> {
  const list = (kind: Kind, { site, from, to, ...query }: ListQuery) =>
    store.setAsideLeads({
      ...query,
      ip: searchText(query.ip),
      q: searchText(query.q),
      siteKeys: site,
      ...boundsOf({ from, to }),
      kind,
      now: now(),
    });
  const deleted = async (kind: Kind, { ids }: { ids: number[] }) => ({
    deleted: await store.deleteSetAside({ kind, ids, now: now() }),
  });
  const accepted = async (kind: Kind, id: number, { unblock }: { unblock: boolean }) => {
    const { leadId, leadPublicId, isPrimary } = await acceptLead({ kind, id, unblock });
    return { lead_id: leadId, lead_public_id: leadPublicId, is_primary_lead: isPrimary ? 1 : 0 };
  };

  return {
    rejectedLeads: kept(LISTED, async ({ query }) => {
      const { leads, total } = await list('rejected', query);
      return { blocked_ip_leads: leads, total };
    }),
    deleteRejectedLeads: ({ body }) => deleted('rejected', body),
    acceptRejectedLead: ({ params, body }) => accepted('rejected', params.id, body),
    testingLeads: kept(LISTED, async ({ query }) => {
      const { leads, total } = await list('testing', query);
      return { testing_leads: leads, total };
    }),
    deleteTestingLeads: ({ body }) => deleted('testing', body),
    acceptTestingLead: ({ params, body }) => accepted('testing', params.id, body),
  };
}
