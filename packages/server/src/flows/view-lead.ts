import type { LeadDetail } from '../store/leads/detail.ts';
import type { Store } from '../store/store.ts';

/** A follow-up that comes while somebody looks has them look again, but not for ever. */
const LOOKS_MAX = 5;

export type ViewLeadParts = {
  store: Store;
  now: () => number;
  /** A lead has been marked. */
  onSeen: () => void;
};

/** Shows a lead and marks it as seen, unless something came in the meantime that was not shown. */
export function makeViewLead({ store, now, onSeen }: ViewLeadParts) {
  return async ({ id, marks }: { id: string; marks: boolean }): Promise<LeadDetail | null> => {
    for (let look = 1; ; look += 1) {
      const detail = await store.leadDetail({ id });
      if (detail === null || !marks || detail.lead.needs_review === 0) return detail;
      const { lead_id: leadId, form_submit_count: submissions } = detail.lead;
      const seenAt = now();
      if (await store.markLeadSeen({ leadId, submissions, now: seenAt })) {
        onSeen();
        return seen(detail, seenAt);
      }
      if (look === LOOKS_MAX) return detail;
    }
  };
}

export type ViewLead = ReturnType<typeof makeViewLead>;

function seen(detail: LeadDetail, at: number): LeadDetail {
  const { lead } = detail;
  return {
    ...detail,
    lead: { ...lead, seen_at: lead.seen_at ?? at, last_viewed_at: at, needs_review: 0 },
  };
}
