import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { submissionPeriod } from '../../domain/leads/submission-period.ts';
import { exportLeads } from '../../flows/export-leads.ts';
import type { ForwardLead } from '../../flows/forward-lead.ts';
import type { LeadIndexing } from '../../flows/index-leads.ts';
import { makeListLeads } from '../../flows/list-leads.ts';
import type { UpdateLead } from '../../flows/update-lead.ts';
import type { ViewLead } from '../../flows/view-lead.ts';
import { unknownLead } from '../../flows/view-lead.ts';
import { AppError } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import { JSON_TYPE } from '../answer.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { asDownload } from '../download.ts';
import { invalidField } from '../invalid-field.ts';
import { kept } from '../kept.ts';
import { searchText } from '../search-text.ts';

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', json: JSON_TYPE };

type LeadName =
  | 'leads'
  | 'recentSubmissions'
  | 'submissions'
  | 'exportLeads'
  | 'lead'
  | 'updateLead'
  | 'mergeLeads'
  | 'unmergeLead'
  | 'forwardLead';

export function leadRoutes({
  store,
  now,
  viewLead,
  updateLead,
  forwardLead,
  indexing,
}: {
  store: Store;
  now: () => number;
  viewLead: ViewLead;
  updateLead: UpdateLead;
  forwardLead: ForwardLead;
  indexing: Pick<LeadIndexing, 'nudge'>;
}): Pick<Handlers, LeadName> {
  const listLeads = makeListLeads(store);
  return {
    leads: kept({ from: ['leads'] }, ({ query }) => listLeads({ ...query, q: searchText(query.q) })),
    recentSubmissions: kept({ from: ['recentSubmissions'] }, ({ query }) => store.recentSubmissions(query)),
    submissions: kept({ from: ['submissions'], daily: true }, ({ query }) => {
      const { site: siteKeys, sort, order, limit, offset } = query;
      const period = submissionPeriod(query, now());
      return store.submissions({ ...period, siteKeys, q: searchText(query.q), sort, order, limit, offset });
    }),

    exportLeads({ query, reply }) {
      return asDownload(exportLeads(store, { ...query, q: searchText(query.q) }), reply, {
        type: CONTENT_TYPES[query.format],
        name: `leads.${query.format}`,
      });
    },

    async lead({ params, query, method }) {
      const marks = method !== 'HEAD' && query.mark_seen !== false;
      const detail = await viewLead({ id: params.id, marks });
      if (detail === null) throw unknownLead();
      return detail;
    },

    async updateLead({ params, body, role }) {
      if (body.status === undefined && body.value === undefined) {
        throw invalidField('body', 'status', 'or value is needed');
      }
      if (body.value !== undefined && role !== 'admin') {
        throw new AppError(
          'forbidden',
          'This key may change the status only; the value needs the admin key.',
        );
      }
      const change = {
        ...(body.status === undefined ? {} : { status: stageOf(body.status) }),
        ...(body.from === undefined ? {} : { from: body.from }),
        ...(body.undo === undefined ? {} : { undo: body.undo }),
        ...(body.value === undefined ? {} : { value: body.value }),
      };
      await updateLead({ id: params.id, ...change, by: role ?? 'marketing' });
      return { updated: true };
    },

    async mergeLeads({ params, body }) {
      const outcome = await store.mergeLeads({ id: params.id, otherId: body.lead_id, now: now() });
      if (outcome === 'unknown') throw unknownLead();
      if (outcome === 'itself') throw new AppError('invalid', 'A lead cannot be merged into itself.');
      if (outcome === 'other_project') {
        throw new AppError('invalid', 'These leads are of different projects.');
      }
      indexing.nudge();
      return { merged: true, lead_id: outcome.leadId };
    },
    async unmergeLead({ params, body }) {
      const outcome = await store.unmergeLead({ id: params.id, otherId: body.lead_id, now: now() });
      if (outcome === 'unknown') throw unknownLead();
      if (outcome === 'not_merged') {
        throw new AppError('not_found', 'This lead was not merged into the other.');
      }
      indexing.nudge();
      return { unmerged: true, lead_id: outcome.leadId };
    },
    async forwardLead({ params, body }) {
      return { flow_send_public_id: await forwardLead({ id: params.id, again: body.again }) };
    },
  };
}

function stageOf(text: string): LeadStatus {
  const wanted = text.toLowerCase();
  const status = LEAD_STATUSES.find((each) => each === wanted);
  if (status !== undefined) return status;
  throw new AppError('not_found', `There is no such status; there are ${LEAD_STATUSES.join(', ')}.`);
}
