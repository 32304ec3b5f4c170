import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { classes } from '../../ui/classes.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { FILTER_KEYS } from './filters.ts';
import { MoreFilters } from './more-filters.tsx';
import type { LeadsSearch } from './search.ts';
import { presetOf } from './views.ts';

const ANY = 'any';

const STAGES: readonly Choice<LeadStatus | typeof ANY>[] = [
  { value: ANY, label: 'Any stage' },
  ...LEAD_STATUSES.map((status) => ({ value: status, label: statusName(status) })),
];
const SORTS: readonly Choice<LeadSort>[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'last_follow_up', label: 'Latest follow-up' },
  { value: 'score_desc', label: 'Most engaged' },
  { value: 'score_asc', label: 'Least engaged' },
  { value: 'risk_desc', label: 'Highest risk' },
  { value: 'risk_asc', label: 'Lowest risk' },
  { value: 'name_asc', label: 'Name A–Z' },
];

/** Search, filters and order; collapsed on a phone. */
export function Toolbar({ search, onChange }: { search: LeadsSearch; onChange: ChangeSearch<LeadsSearch> }) {
  const [isOpen, setOpen] = useState(false);
  const [hasMore, setMore] = useState(false);
  const { q, status, sort } = search;
  // Filters of a preset are named by its tab, so they are not counted.
  const used = presetOf(search) === undefined ? FILTER_KEYS.filter((key) => search[key] !== undefined) : [];
  const inUse = used.length + (sort === undefined ? 0 : 1);
  const inMore = used.filter((key) => key !== 'status').length;
  return (
    <search className="flex flex-wrap gap-2">
      <SearchInput
        className="min-w-0 flex-1 sm:min-w-56"
        label="Search leads"
        placeholder="Name, e-mail, phone or project"
        value={q ?? ''}
        onSearch={(text) => onChange({ q: text }, { isReplacing: q !== undefined })}
      />
      <Button
        className="sm:hidden"
        icon={<SlidersHorizontal aria-hidden="true" />}
        aria-expanded={isOpen}
        aria-controls="lead-filters"
        onClick={() => setOpen(!isOpen)}
      >
        Filters{inUse > 0 && ` (${inUse})`}
      </Button>
      <div
        id="lead-filters"
        className={classes(
          'w-full grid-cols-2 gap-2 sm:flex sm:w-auto sm:flex-wrap',
          isOpen ? 'grid' : 'hidden',
        )}
      >
        {search.layout !== 'board' && (
          <div className="sm:w-30">
            <Select
              label="Stage"
              choices={STAGES}
              value={status ?? ANY}
              onChange={(chosen) => onChange({ status: chosen === ANY ? undefined : chosen })}
            />
          </div>
        )}
        <div className="sm:w-39">
          <Select
            label="Sort by"
            choices={SORTS}
            value={sort ?? 'newest'}
            onChange={(chosen) => onChange({ sort: chosen === 'newest' ? undefined : chosen })}
          />
        </div>
        <Button
          className="max-sm:odd:col-span-full"
          aria-expanded={hasMore}
          aria-controls="more-lead-filters"
          onClick={() => setMore(!hasMore)}
        >
          More filters{inMore > 0 && ` (${inMore})`}
        </Button>
      </div>
      {hasMore && (
        <div id="more-lead-filters" className={classes('w-full sm:block', !isOpen && 'hidden')}>
          <MoreFilters search={search} onChange={onChange} />
        </div>
      )}
    </search>
  );
}
