import type { bulkLeads } from '@leadtrail/contract/bulk-leads';
import type { BodyOf } from '@leadtrail/contract/endpoint';
import type { ChangeLeads, LeadsChange, LeadsMeant } from '../../flows/change-leads.ts';
import { leadFilter } from '../../flows/list-leads.ts';
import { AppError } from '../../lib/errors.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { searchText } from '../search-text.ts';

type Body = BodyOf<typeof bulkLeads>;
type Role = 'admin' | 'marketing';

export function bulkLeadRoutes({ changeLeads }: { changeLeads: ChangeLeads }): Pick<Handlers, 'bulkLeads'> {
  return {
    bulkLeads: ({ body, role = 'marketing' }) => changeLeads(meantBy(body), changeOf(body, role)),
  };
}

function meantBy({ ids, filter, before }: Body): LeadsMeant {
  if (ids !== undefined && filter === undefined) return { ids };
  if (filter === undefined || ids !== undefined) throw invalid('it needs either ids or filter');
  return { filter: leadFilter({ ...filter, q: searchText(filter.q) }), before };
}

function changeOf({ action, status, from, undo, again }: Body, by: Role): LeadsChange {
  if (action === 'review') return { action };
  if (action === 'forward') {
    if (by === 'admin') return { action, again };
    throw new AppError('forbidden', 'This key may not send leads; it needs the admin key.');
  }
  if (status === undefined) throw invalid('stage needs a status');
  return { action, status, from, undo, by };
}

function invalid(why: string): AppError {
  return new AppError('invalid', `The body is not valid: ${why}.`);
}
