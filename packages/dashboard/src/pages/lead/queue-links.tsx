import { useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { lastLeadsSearch } from '../../shared/last-leads-search.ts';
import { keepOpened, placeInQueue } from '../../shared/lead-queue.ts';
import { useKeys } from '../../shared/use-keys.ts';
import { useLeadActions } from '../../shared/use-lead-actions.ts';
import { Button } from '../../ui/button.tsx';
import type { Lead } from './data.ts';

/** The neighbours in the list that the lead was opened from, also by j and k; the keys of the list act on this lead. */
export function QueueLinks({ lead }: { lead: Lead }) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { keysFor } = useLeadActions();
  const place = placeInQueue(lead.lead_id);
  useEffect(() => keepOpened(lead.lead_id), [lead.lead_id]);

  const go = (leadId: number | undefined) => {
    if (leadId !== undefined) void navigate({ to: '/leads/$leadId', params: { leadId: String(leadId) } });
  };
  useKeys({
    ...keysFor(() => lead, isAdmin),
    j: () => go(place?.next),
    k: () => go(place?.previous),
    Escape: () => void navigate({ to: '/leads', search: lastLeadsSearch() }),
  });

  if (place === undefined || place.total === 1) return null;
  return (
    <div className="flex items-center gap-1">
      <Button
        look="ghost"
        aria-label="Previous lead"
        icon={<ChevronLeft aria-hidden="true" />}
        disabled={place.previous === undefined}
        onClick={() => go(place.previous)}
      />
      <span className="text-[0.8125rem] text-ink-soft tabular-nums">
        {place.position} of {place.total}
      </span>
      <Button
        look="ghost"
        aria-label="Next lead"
        icon={<ChevronRight aria-hidden="true" />}
        disabled={place.next === undefined}
        onClick={() => go(place.next)}
      />
    </div>
  );
}
