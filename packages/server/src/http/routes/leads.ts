import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { submissionPeriod } from '../../domain/leads/submission-period.ts';
import { exportLeads } from '../../flows/export-leads.ts';
import type { LeadIndexing } from '../../flows/index-leads.ts';
import type { ViewLead } from '../../flows/view-lead.ts';
import { AppError } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import { JSON_TYPE } from '../answer.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';
import { searchText } from '../search-text.ts';

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', json: JSON_TYPE };

type LeadName = 'leads' | 'recentSubmissions' | 'submissions' | 'exportLeads' | 'lead' | 'updateLead';

export function leadRoutes({
  store,
  now,
  viewLead,
  indexing,
}: {
  store: Store;
  now: () => number;
  viewLead: ViewLead;
  indexing: Pick<LeadIndexing, 'nudge'>;
}): Pick<Handlers, LeadName> {
  return {
    leads: kept({ from: ['leads'] }, ({ query }) => store.leads({ ...query, q: searchText(query.q) })),
    recentSubmissions: kept({ from: ['recentSubmissions'] }, ({ query }) => store.recentSubmissions(query)),
    submissions: kept({ from: ['submissions'], daily: true }, ({ query }) => {
      const { sort, order, limit, offset } = query;
      const period = submissionPeriod(query, now());
      return store.submissions({ ...period, q: searchText(query.q), sort, order, limit, offset });
    }),

    exportLeads({ query, reply }) {
      return onFirstPiece(exportLeads(store, { ...query, q: searchText(query.q) }), () => {
        reply.headers['content-type'] = CONTENT_TYPES[query.format];
        reply.headers['content-disposition'] = `attachment; filename="leads.${query.format}"`;
      });
    },

    async lead({ params, method }) {
      const detail = await viewLead({ id: params.id, marks: method !== 'HEAD' });
      if (detail === null) throw unknownLead();
      return detail;
    },

    async updateLead({ params, body }) {
      const wanted = body.status.toLowerCase();
      const status = LEAD_STATUSES.find((each) => each === wanted);
      if (status === undefined) {
        throw new AppError('not_found', `There is no such status; there are ${LEAD_STATUSES.join(', ')}.`);
      }
      if (!(await store.setLeadStatus({ id: params.id, status }))) throw unknownLead();
      indexing.nudge();
      return { updated: true };
    },
  };
}

/** The headers of a download are set with the first piece: an error before it must not be saved as a file. */
async function* onFirstPiece(pieces: AsyncIterable<string>, act: () => void): AsyncIterable<string> {
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst) act();
    isFirst = false;
    yield piece;
  }
}

function unknownLead(): AppError {
  return new AppError('not_found', 'There is no such lead.');
}
