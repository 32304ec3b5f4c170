import { Columns3, List } from 'lucide-react';
import type { LeadsSearch } from './search.ts';
import { SearchLink, SearchLinks } from './search-link.tsx';

export function LayoutSwitch({ search }: { search: LeadsSearch }) {
  const { layout, status: _status, limit: _limit, offset: _offset, ...view } = search;
  const isBoard = layout === 'board';
  return (
    <SearchLinks label="Layout">
      <SearchLink search={isBoard ? view : search} isCurrent={!isBoard}>
        <List aria-hidden="true" />
        Table
      </SearchLink>
      <SearchLink search={{ ...view, layout: 'board' }} isCurrent={isBoard}>
        <Columns3 aria-hidden="true" />
        Board
      </SearchLink>
    </SearchLinks>
  );
}
