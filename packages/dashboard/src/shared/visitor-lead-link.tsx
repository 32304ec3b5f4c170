import type { VisitorLead } from '@leadtrail/contract/visitor-lead';
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../ui/status-badge.tsx';
import { personName } from './person-name.ts';

/** The lead that the visitor of a visit is known by. */
export function VisitorLeadLink({ lead }: { lead: VisitorLead | null }) {
  if (lead === null) return <span className="text-ink-faint">–</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Link
        to="/leads/$leadId"
        params={{ leadId: String(lead.lead_id) }}
        className="font-medium wrap-anywhere text-accent-text hover:underline"
      >
        {personName(lead)}
      </Link>
      <StatusBadge status={lead.status} />
    </span>
  );
}
