import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import type { LeadList } from '../../shared/lead-lists.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { filtersOf, latestOptions, listOptions, type ScopedSearch } from './queries.ts';
import { type LeadsSearch, LIMIT_DEFAULT } from './search.ts';

/** Announces leads that came in since the list was loaded, and shows them on request. */
export function NewLeads({
  search,
  onChange,
}: {
  search: ScopedSearch;
  onChange: ChangeSearch<LeadsSearch>;
}) {
  const client = useQueryClient();
  const isNewestFirst = search.sort === undefined && search.offset === undefined;
  const list = useQuery({ ...listOptions(search), enabled: search.layout !== 'board' });
  const shown = isNewestFirst && !list.isPlaceholderData ? list.data : undefined;
  const isReady = search.layout === 'board' || list.data !== undefined;
  const { data: latest } = useQuery({ ...latestOptions(filtersOf(search)), enabled: isReady });
  const [known, setKnown] = useState<number>();

  // The baseline: leads newer than the list are new.
  if (known === undefined && latest !== undefined) setKnown(newestOf(shown ?? latest));
  const newest = Math.max(known ?? 0, shown === undefined ? 0 : newestOf(shown));
  const count =
    known === undefined ? 0 : (latest?.leads.filter(({ lead_id }) => lead_id > newest).length ?? 0);

  // New leads change the count of the “To review” view.
  useEffect(() => {
    if (count > 0) void client.invalidateQueries({ queryKey: queryKeys.leadsToReview });
  }, [count, client]);

  function bringIn() {
    if (latest !== undefined) setKnown(newestOf(latest));
    client.invalidateQueries({ queryKey: queryKeys.leads });
    if (search.layout !== 'board') onChange({ sort: undefined, offset: undefined });
    scrollTo({ top: 0 });
  }

  return (
    <div
      role="status"
      className="pointer-events-none sticky top-16 z-20 grid h-0 justify-items-center lg:top-4"
    >
      {count > 0 && (
        <button
          type="button"
          onClick={bringIn}
          className="pointer-events-auto mt-1.5 flex h-9 items-center gap-2 rounded-full bg-accent px-4 font-medium whitespace-nowrap text-accent-ink shadow-raised hover:brightness-110 max-sm:h-11"
        >
          <ArrowUp aria-hidden="true" className="size-4" />
          {count === LIMIT_DEFAULT ? `${count} or more` : count} new {count === 1 ? 'lead' : 'leads'}
        </button>
      )}
    </div>
  );
}

function newestOf({ leads }: LeadList): number {
  return Math.max(0, ...leads.map(({ lead_id }) => lead_id));
}
