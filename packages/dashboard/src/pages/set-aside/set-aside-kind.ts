import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { rejectedLeads } from '@leadtrail/contract/set-aside-leads';
import type { ListPage } from '../../shared/paged-list.tsx';
import type { Period } from './search.ts';

/** An enquiry that did not become a lead. */
export type SetAsideLead = AnswerOf<typeof rejectedLeads>['blocked_ip_leads'][number];

type Asked = { period: Period; q: string; limit: number; offset: number };

/** What makes the one list differ from the other. */
export type SetAsideKind = {
  key: string;
  title: string;
  hint: string;
  /** The list that is the reason why something is here. */
  ipList: { to: '/blocked-ips' | '/whitelisted-ips'; label: string };
  empty: { title: string; text: string; action: string };
  list: (asked: Asked, signal: AbortSignal) => Promise<ListPage<SetAsideLead>>;
  remove: (ids: number[]) => Promise<{ deleted: number }>;
};
