import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { type LeadsSearch, readLeadsSearch } from './search.ts';

const route = getRouteApi('/leads');

export type SearchChange = { [K in keyof LeadsSearch]?: LeadsSearch[K] | undefined };
type How = {
  /** Going back passes over what was there before. */
  isReplacing?: boolean;
};
export type ChangeSearch = (change: SearchChange, how?: How) => void;

/** What the address says, and a way to say something else. Another view begins with its first page. */
export function useLeadsSearch(): [LeadsSearch, ChangeSearch] {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const changeSearch = useCallback<ChangeSearch>(
    (change, { isReplacing = false } = {}) => {
      navigate({
        to: '/leads',
        search: (before: LeadsSearch) => readLeadsSearch({ ...before, offset: undefined, ...change }),
        replace: isReplacing,
        resetScroll: 'offset' in change,
      });
    },
    [navigate],
  );
  return [search, changeSearch];
}
