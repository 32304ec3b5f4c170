import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { flagOf } from '../../shared/search-params.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { classes } from '../../ui/classes.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { OriginFilters } from './origin-filters.tsx';
import type { LeadsSearch } from './search.ts';

const ANY = 'any';
type Flag = 'true' | 'false' | typeof ANY;

const STAGES: readonly Choice<LeadStatus | typeof ANY>[] = [
  { value: ANY, label: 'Any stage' },
  ...LEAD_STATUSES.map((status) => ({ value: status, label: statusName(status) })),
];
const REVIEW: readonly Choice<Flag>[] = [
  { value: ANY, label: 'Viewed or not' },
  { value: 'false', label: 'To review' },
  { value: 'true', label: 'Viewed' },
];
const FOLLOW_UPS: readonly Choice<Flag>[] = [
  { value: ANY, label: 'Any follow-ups' },
  { value: 'true', label: 'With follow-ups' },
  { value: 'false', label: 'No follow-ups' },
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
  const { q, status, has_follow_ups, seen, sort, project, source, campaign } = search;
  const { channel, engagement, delivery } = search;
  const more = [project, source, campaign, channel, engagement, delivery];
  const origins = more.filter((each) => each !== undefined).length;
  const inUse = origins + [status, has_follow_ups, seen, sort].filter((each) => each !== undefined).length;
  const [hasOrigins, setOrigins] = useState(false);
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
        <div className="sm:w-36">
          <Select
            label="Review"
            choices={REVIEW}
            value={flagChoice(seen)}
            onChange={(chosen) => onChange({ seen: flagOf(chosen) })}
          />
        </div>
        <div className="sm:w-39">
          <Select
            label="Follow-ups"
            choices={FOLLOW_UPS}
            value={flagChoice(has_follow_ups)}
            onChange={(chosen) => onChange({ has_follow_ups: flagOf(chosen) })}
          />
        </div>
        <div className="sm:w-39">
          <Select
            label="Sort by"
            choices={SORTS}
            value={sort ?? 'newest'}
            onChange={(chosen) => onChange({ sort: chosen === 'newest' ? undefined : chosen })}
          />
        </div>
        <Button
          aria-expanded={hasOrigins}
          aria-controls="lead-origins"
          onClick={() => setOrigins(!hasOrigins)}
        >
          More filters{origins > 0 && ` (${origins})`}
        </Button>
      </div>
      {hasOrigins && (
        <div id="lead-origins" className={classes('w-full sm:block', !isOpen && 'hidden')}>
          <OriginFilters search={search} onChange={onChange} />
        </div>
      )}
    </search>
  );
}

function flagChoice(flag: boolean | undefined): Flag {
  return flag === undefined ? ANY : flag ? 'true' : 'false';
}
