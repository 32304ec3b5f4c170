import { useQuery } from '@tanstack/react-query';
import { formatShort } from '../../format.ts';
import { SavedViews } from '../../shared/saved-views/saved-views.tsx';
import { type ScopedSearch, toReviewOptions } from './queries.ts';
import type { LeadsSearch, LeadsView } from './search.ts';
import { SearchLink, SearchLinks } from './search-link.tsx';
import { PRESETS, presetOf } from './views.ts';

/** Presets and saved views. */
export function ViewBar({
  search,
  scoped,
}: {
  search: LeadsSearch;
  /** Undefined until it is known. */
  scoped: ScopedSearch | undefined;
}) {
  const preset = presetOf(search);
  const { data: toReview = 0 } = useQuery({
    ...toReviewOptions(scoped ?? {}),
    enabled: scoped !== undefined,
  });
  return (
    <div className="flex min-w-0 items-center gap-2">
      <SearchLinks label="Views">
        {PRESETS.map(({ name, view }) => (
          <SearchLink key={name} search={presetSearch(view, search)} isCurrent={preset?.name === name}>
            {name}
            {view.seen === false && toReview > 0 && (
              <span className="rounded-full bg-accent-soft px-1.5 text-xs text-accent-text tabular-nums">
                {formatShort(toReview)}
              </span>
            )}
          </SearchLink>
        ))}
      </SearchLinks>
      <SavedViews page="leads" />
    </div>
  );
}

/** Keeps search and order. A preset of one stage is a table. */
function presetSearch(view: LeadsView, { layout, q, sort, limit }: LeadsSearch): LeadsSearch {
  return {
    ...view,
    ...(layout === undefined || view.status !== undefined ? {} : { layout }),
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined ? {} : { sort }),
    ...(limit === undefined ? {} : { limit }),
  };
}
