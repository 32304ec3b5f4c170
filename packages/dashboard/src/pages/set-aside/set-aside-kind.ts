import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { acceptRejectedLead, rejectedLeads } from '@leadtrail/contract/set-aside-leads';
import type { ListPage } from '../../shared/paged-list.tsx';

/** A rejected or testing lead: stored apart from the leads and not forwarded. */
export type SetAsideLead = AnswerOf<typeof rejectedLeads>['blocked_ip_leads'][number];

type Asked = { q: string; site?: string; from?: string; to?: string; limit: number; offset: number };

/** What differs between the two lists. */
export type SetAsideKind = {
  key: string;
  title: string;
  hint: string;
  /** The IP list that put the rows here. */
  ipList: { to: '/blocked-ips' | '/whitelisted-ips'; label: string; why: string };
  empty: { title: string; text: string; action: string };
  list: (asked: Asked, signal: AbortSignal) => Promise<ListPage<SetAsideLead>>;
  remove: (ids: number[]) => Promise<{ deleted: number }>;
  accepting: { text: string; isUnblocking: boolean };
  accept: (id: number, how: { unblock: boolean }) => Promise<AnswerOf<typeof acceptRejectedLead>>;
};

/** Why it did not become a lead: something that the settings reject, else its address. */
export function whyOf({ reason }: SetAsideLead, { why }: SetAsideKind['ipList']): string {
  return reason === '' ? why : `Blocked ${reason}`;
}
