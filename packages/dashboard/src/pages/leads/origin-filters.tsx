import type { DimensionName } from '@leadtrail/contract/question-fields';
import { formatNumber } from '../../format.ts';
import { useAnswer } from '../../frame/use-frame.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Select } from '../../ui/select.tsx';
import type { LeadsSearch } from './search.ts';

const ANY = '';
const CHOICES_MAX = 200;

type Filter = 'project' | 'source' | 'campaign';

/** The values that there are of each. */
const FILTERS: readonly { filter: Filter; dimension: DimensionName; label: string; any: string }[] = [
  { filter: 'project', dimension: 'project', label: 'Project', any: 'Any project' },
  { filter: 'source', dimension: 'form_source', label: 'Source of the form', any: 'Any source' },
  { filter: 'campaign', dimension: 'campaign', label: 'Campaign', any: 'Any campaign' },
];

/** Filters by what a lead asked about and what brought it. */
export function OriginFilters({
  search,
  onChange,
}: {
  search: LeadsSearch;
  onChange: ChangeSearch<LeadsSearch>;
}) {
  return (
    <div id="lead-origins" className="contents">
      {FILTERS.map(({ filter, dimension, label, any }) => (
        <OriginFilter
          key={filter}
          label={label}
          any={any}
          dimension={dimension}
          value={search[filter]}
          onChange={(chosen) => onChange({ [filter]: chosen })}
        />
      ))}
    </div>
  );
}

function OriginFilter({
  label,
  any,
  dimension,
  value,
  onChange,
}: {
  label: string;
  any: string;
  dimension: DimensionName;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const { data } = useAnswer({
    metrics: ['leads'],
    dimensions: [dimension],
    period: 'all',
    limit: CHOICES_MAX,
  });
  const known = (data?.rows ?? []).flatMap(({ dimensions: [name = ''], metrics: [leads] }) =>
    name.startsWith('(') || !leads ? [] : [{ value: name, label: `${name} (${formatNumber(leads)})` }],
  );
  const isMissing = value !== undefined && !known.some((each) => each.value === value);
  return (
    <div className="sm:w-48">
      <Select
        label={label}
        className="max-sm:h-11"
        value={value ?? ANY}
        choices={[
          { value: ANY, label: any },
          // From a link, or written in another way.
          ...(isMissing ? [{ value, label: value }] : []),
          ...known,
        ]}
        onChange={(chosen) => onChange(chosen === ANY ? undefined : chosen)}
      />
    </div>
  );
}
