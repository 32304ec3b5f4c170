import type { FormProgress } from '@leadtrail/contract/form-progress';
import type { ReplayItem } from '@leadtrail/contract/replay';
import { sql } from 'kysely';
import type { Db } from './dialect.ts';
import { leadsByVisitor } from './leads/by-visitor.ts';
import { read } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { SessionRow } from './schema.ts';
import { idHash } from './tracking/state.ts';

export type ReplayFilter = {
  visitorId?: string | undefined;
  sessionId?: string | undefined;
  siteKeys?: readonly string[] | undefined;
  /** Part of the address of a page that was seen. */
  page?: string | undefined;
  form?: FormProgress | undefined;
  isLead?: boolean | undefined;
  /** When the recording started, in milliseconds; `until` is exclusive. */
  from?: number | undefined;
  until?: number | undefined;
};

/** A page of the recorded sessions, newest first. A session may not have been processed yet, or may never come. */
export const replaySessions = read(
  { shows: ['replays', 'tracking', 'leads'] },
  async (
    db,
    { limit, offset, ...filter }: ReplayFilter & Page,
  ): Promise<{ sessions: ReplayItem[]; total: number }> => {
    const found = await recorded(db, filter)
      .select(['r.session_id', 'r.started_at', 'r.ended_at', 'r.event_count'])
      .select(['s.visitor_id', 's.entry_page', 's.country', 's.site_key', 's.page_views'])
      .select(['s.form_viewed', 's.form_started', 's.form_submitted'])
      .orderBy('r.started_at', 'desc')
      .orderBy('r.session_id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    const leads = await leadsByVisitor(
      db,
      found.flatMap(({ visitor_id }) => visitor_id ?? []),
    );
    return {
      sessions: found.map(({ form_viewed, form_started, form_submitted, ...each }) => ({
        ...each,
        duration_ms: each.ended_at - each.started_at,
        form: each.visitor_id === null ? null : progressOf({ form_viewed, form_started, form_submitted }),
        lead: leads.get(each.visitor_id ?? '') ?? null,
      })),
      total: await countOf(recorded(db, filter)),
    };
  },
);

type FormSteps = { [K in 'form_viewed' | 'form_started' | 'form_submitted']: SessionRow[K] | null };

function progressOf({ form_viewed, form_started, form_submitted }: FormSteps): FormProgress {
  if (form_submitted === 1) return 'sent';
  if (form_started === 1) return 'abandoned';
  return form_viewed === 1 ? 'seen' : 'none';
}

const PROGRESS: Readonly<Record<FormProgress, Partial<FormSteps>>> = {
  none: { form_viewed: 0, form_started: 0, form_submitted: 0 },
  seen: { form_viewed: 1, form_started: 0, form_submitted: 0 },
  abandoned: { form_started: 1, form_submitted: 0 },
  sent: { form_submitted: 1 },
};

function recorded({ query, dialect }: Db, filter: ReplayFilter) {
  const { visitorId, sessionId, siteKeys, page, form, isLead, from, until } = filter;
  let all = query.selectFrom('replays as r').leftJoin('sessions as s', 's.session_id', 'r.session_id');
  if (sessionId !== undefined) all = all.where('r.session_id', '=', sessionId);
  if (visitorId !== undefined) {
    all = all.where('r.session_id', 'in', (select) =>
      select
        .selectFrom('sessions as own')
        .innerJoin('visitors', 'visitors.visitor_no', 'own.visitor_no')
        .select('own.session_id')
        .where('visitors.id_hash', '=', idHash(visitorId))
        .where('visitors.visitor_id', '=', visitorId),
    );
  }
  if (from !== undefined) all = all.where('r.started_at', '>=', from);
  if (until !== undefined) all = all.where('r.started_at', '<', until);
  if (siteKeys !== undefined) all = all.where('s.site_key', 'in', dialect.anyOf(siteKeys));
  if (page !== undefined) {
    all = all.where(
      sql<boolean>`(${dialect.contains('s.entry_page', page)} or exists (
        select 1 from session_pages p where p.session_id = r.session_id and ${dialect.contains('p.page', page)}
      ))`,
    );
  }
  for (const [step, value] of Object.entries(form === undefined ? {} : PROGRESS[form])) {
    all = all.where(`s.${step as keyof FormSteps}`, '=', value);
  }
  if (isLead === undefined) return all;
  const known = sql<boolean>`exists (
    select 1 from lead_identities i where i.kind = 'visitor' and i.value = s.visitor_id
  )`;
  return all.where(isLead ? known : sql<boolean>`not ${known}`);
}
