import { getRouteApi } from '@tanstack/react-router';
import { type OverviewSearch, readOverviewSearch } from './search.ts';

const route = getRouteApi('/');

/** What the address says, and a way to say something else. */
export function useOverviewSearch(): [OverviewSearch, (change: OverviewSearch) => void] {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const changeSearch = (change: OverviewSearch) =>
    navigate({
      to: '/',
      search: (before: OverviewSearch) => readOverviewSearch({ ...before, ...change }),
      resetScroll: false,
    });
  return [search, changeSearch];
}
