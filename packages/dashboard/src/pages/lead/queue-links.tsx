import { useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { formatNumber } from '../../format.ts';
import { leadsSearchWith } from '../../shared/last-leads-search.ts';
import { keepOpened, loadNextPage, loadPreviousPage, placeInQueue } from '../../shared/lead-queue.ts';
import { useKeys } from '../../shared/use-keys.ts';
import { useLeadActions } from '../../shared/use-lead-actions.ts';
import { Button } from '../../ui/button.tsx';
import { toastProblem } from '../../ui/toast.tsx';
import type { Lead } from './data.ts';

/** Neighbours in the list that the lead was opened from, also by j and k; the list's other keys act on this lead. */
export function QueueLinks({ lead }: { lead: Lead }) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { keysFor } = useLeadActions();
  const place = placeInQueue(lead.lead_id);
  useEffect(() => keepOpened(lead.lead_id), [lead.lead_id]);

  const go = useGoing(lead.lead_id);
  useKeys({
    ...keysFor(() => lead, isAdmin),
    j: () => go('next'),
    k: () => go('previous'),
    Escape: () => void navigate({ to: '/leads', search: leadsSearchWith(lead.lead_id) }),
  });

  if (place === undefined || place.total === 1) return null;
  return (
    <div className="flex items-center gap-1">
      <Button
        look="ghost"
        aria-label="Previous lead"
        icon={<ChevronLeft aria-hidden="true" />}
        disabled={place.previous === undefined}
        onClick={() => go('previous')}
      />
      <span className="text-[0.8125rem] text-ink-soft tabular-nums">
        {formatNumber(place.position)} of {formatNumber(place.total)}
      </span>
      <Button
        look="ghost"
        aria-label="Next lead"
        icon={<ChevronRight aria-hidden="true" />}
        disabled={place.next === undefined}
        onClick={() => go('next')}
      />
    </div>
  );
}

/** Goes to a neighbour, loading the adjacent page of the list if need be. */
function useGoing(leadId: number): (way: 'previous' | 'next') => void {
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);

  async function loaded(way: 'previous' | 'next') {
    setBusy(true);
    try {
      await (way === 'next' ? loadNextPage() : loadPreviousPage());
      if (isLeft.current) return;
      return placeInQueue(leadId)?.[way];
    } catch (error) {
      toastProblem('The list was not loaded', error);
    } finally {
      setBusy(false);
    }
  }

  return async (way) => {
    const known = placeInQueue(leadId)?.[way];
    if (isBusy) return;
    const to = known === 'elsewhere' ? await loaded(way) : known;
    if (typeof to === 'number') void navigate({ to: '/leads/$leadId', params: { leadId: String(to) } });
  };
}
