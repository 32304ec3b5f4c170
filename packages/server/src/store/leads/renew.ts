import { STORED_FIELDS, storedSearchText } from '../../domain/leads/lead-search.ts';
import { background } from '../operation.ts';

/**
 * Renews search texts that were made by earlier rules, newest leads first; returns how many. Rows that are locked by
 * another transaction are left for the next time.
 */
export const renewSearchTexts = background(
  // Searches find what they could not find before.
  { changes: ['leads'] },
  async ({ query, dialect }, { max }: { max: number }): Promise<number> => {
    const outdated = query
      .selectFrom('lead_renewals')
      .select('lead_id')
      .orderBy('lead_id', 'desc')
      .limit(max);
    const leads = await query
      .selectFrom('leads')
      .select(['lead_id', 'search_text', ...STORED_FIELDS])
      .where('lead_id', 'in', outdated)
      .modifyEnd(dialect.holdFree)
      .execute();
    const renewed = leads
      .map((lead) => ({ lead, text: storedSearchText(lead) }))
      .filter(({ lead, text }) => text !== lead.search_text);
    await dialect.updateRows(
      'leads',
      'lead_id',
      renewed.map(({ lead, text }) => ({ lead_id: lead.lead_id, search_text: text })),
    );
    await dialect.insertRows(
      'lead_changes',
      renewed.map(({ lead }) => ({ lead_id: lead.lead_id })),
      '(lead_id) do update set lead_id = excluded.lead_id',
    );
    const leadIds = leads.map(({ lead_id }) => lead_id);
    await query.deleteFrom('lead_renewals').where('lead_id', 'in', dialect.anyOf(leadIds)).execute();
    return leads.length;
  },
);
