import { AppError } from '../lib/errors.ts';
import type { LeadDetail } from '../store/leads/detail.ts';
import type { Store } from '../store/store.ts';

/** A follow-up that arrives between reading and marking causes another read. */
const ATTEMPTS_MAX = 5;

export type ViewLeadParts = {
  store: Store;
  now: () => number;
  /** A lead has been marked. */
  onSeen: () => void;
};

/** Shows a lead and marks it as viewed, unless a follow-up has arrived that is not shown. */
export function makeViewLead({ store, now, onSeen }: ViewLeadParts) {
  return async ({ id, marks }: { id: string; marks: boolean }): Promise<LeadDetail | null> => {
    for (let attempt = 1; ; attempt += 1) {
      const detail = await store.leadDetail({ id });
      if (detail === null || !marks || detail.lead.needs_review === 0) return detail;
      const { lead_id: leadId, follow_ups_count: followUps } = detail.lead;
      const seenAt = now();
      if (await store.markLeadSeen({ leadId, followUps, now: seenAt })) {
        onSeen();
        return seen(detail, seenAt);
      }
      if (attempt === ATTEMPTS_MAX) return detail;
    }
  };
}

export type ViewLead = ReturnType<typeof makeViewLead>;

export function unknownLead(): AppError {
  return new AppError('not_found', 'There is no such lead.');
}

function seen(detail: LeadDetail, at: number): LeadDetail {
  const { lead } = detail;
  return {
    ...detail,
    lead: { ...lead, seen_at: lead.seen_at ?? at, last_viewed_at: at, needs_review: 0 },
  };
}
