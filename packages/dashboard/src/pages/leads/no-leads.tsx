import { Link } from '@tanstack/react-router';
import { CircleCheck, SearchX, Users } from 'lucide-react';
import { useIsAdmin } from '../../api/role.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { useValueName } from '../../frame/value-name.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { FILTER_KEYS } from './filters.ts';
import type { ScopedSearch } from './queries.ts';
import type { LeadsSearch } from './search.ts';
import { searchedPart } from './searched-part.ts';
import { hasFilters, presetOf } from './views.ts';

export function NoLeads({
  search,
  total,
  onChange,
}: {
  search: ScopedSearch;
  total: number;
  onChange: ChangeSearch<LeadsSearch>;
}) {
  const isAdmin = useIsAdmin();
  const [frame, changeFrame] = useFrame('all');
  const nameOf = useValueName();
  if (total > 0) {
    return (
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title="This page is past the end of the list"
        action={<Button onClick={() => onChange({ offset: undefined })}>Go to first page</Button>}
      />
    );
  }
  if (search.behind !== undefined) {
    return (
      <EmptyState icon={<SearchX aria-hidden="true" />} title="No leads here">
        Choose a longer period or other sites.
      </EmptyState>
    );
  }
  const part = searchedPart(frame, (key) => nameOf({ dimension: 'site', value: key }));
  const widen = part !== undefined && (
    <Button onClick={() => changeFrame({ sites: [], when: 'all' })}>{part.widen}</Button>
  );
  if (part !== undefined && !hasFilters(search)) {
    return (
      <EmptyState icon={<SearchX aria-hidden="true" />} title="No leads here" action={widen}>
        {part.message}
      </EmptyState>
    );
  }
  if (!hasFilters(search)) {
    return (
      <EmptyState
        icon={<Users aria-hidden="true" />}
        title="No leads yet"
        action={
          isAdmin && (
            <Link to="/settings" className={buttonClasses({ look: 'primary' })}>
              Set up a site
            </Link>
          )
        }
      >
        Everyone who submits one of your forms appears here automatically.
      </EmptyState>
    );
  }
  if (search.q === undefined && presetOf(search)?.name === 'To review') {
    return (
      <EmptyState icon={<CircleCheck aria-hidden="true" />} title="You are all caught up" action={widen}>
        {part?.message ?? 'New leads and follow-ups appear here until someone views them.'}
      </EmptyState>
    );
  }
  const clear = () =>
    onChange(Object.fromEntries(['q', ...FILTER_KEYS].map((key) => [key, undefined])), {
      isReplacing: false,
    });
  return (
    <EmptyState
      icon={<SearchX aria-hidden="true" />}
      title="No leads match"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {widen}
          <Button onClick={clear}>Clear search and filters</Button>
        </div>
      }
    >
      {part?.message ?? 'Try a shorter search or other filters.'}
    </EmptyState>
  );
}
