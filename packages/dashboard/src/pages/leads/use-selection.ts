import type { LeadItem } from '@leadtrail/contract/lead-records';
import { useCallback, useMemo, useRef, useState } from 'react';

/** Selected leads: some by their ids, across pages, or all that match. */
export type Selection = {
  ids: ReadonlySet<number>;
  isAllMatching: boolean;
  /** A range selects all from the previously chosen one to this one. */
  toggle: (leadId: number, isRange: boolean) => void;
  setPage: (isSelected: boolean) => void;
  setAllMatching: () => void;
  clear: () => void;
};

const NONE: ReadonlySet<number> = new Set();

export function useSelection(leads: readonly LeadItem[] | undefined): Selection {
  const [ids, setIds] = useState(NONE);
  const [isAllMatching, setAllMatching] = useState(false);
  const last = useRef<number | undefined>(undefined);
  const shown = useRef<readonly number[]>([]);
  shown.current = useMemo(() => leads?.map(({ lead_id }) => lead_id) ?? [], [leads]);

  // Stable, because rows are memoised.
  const toggle = useCallback((leadId: number, isRange: boolean) => {
    const from = isRange ? shown.current.indexOf(last.current ?? leadId) : -1;
    const to = shown.current.indexOf(leadId);
    last.current = leadId;
    setAllMatching(false);
    setIds((before) => {
      const isSelected = !before.has(leadId);
      const meant = from === -1 ? [leadId] : shown.current.slice(Math.min(from, to), Math.max(from, to) + 1);
      const next = new Set(before);
      for (const each of meant) {
        if (isSelected) next.add(each);
        else next.delete(each);
      }
      return next;
    });
  }, []);
  const setPage = useCallback((isSelected: boolean) => {
    setAllMatching(false);
    setIds(
      (before) =>
        new Set(
          [...before].filter((each) => !shown.current.includes(each)).concat(isSelected ? shown.current : []),
        ),
    );
  }, []);
  const clear = useCallback(() => {
    last.current = undefined;
    setAllMatching(false);
    setIds(NONE);
  }, []);
  return { ids, isAllMatching, toggle, setPage, setAllMatching: () => setAllMatching(true), clear };
}
