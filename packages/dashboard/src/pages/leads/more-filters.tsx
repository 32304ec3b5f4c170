import type { DimensionName } from '@leadtrail/contract/question-fields';
import { formatNumber } from '../../format.ts';
import { useAnswer } from '../../frame/use-frame.ts';
import { useValueName } from '../../frame/value-name.ts';
import { flagOf } from '../../shared/search-params.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Select } from '../../ui/select.tsx';
import { FILTER_NAMES, FIXED_FILTERS } from './filters.ts';
import type { LeadsSearch } from './search.ts';

const ANY = '';
const CHOICES_MAX = 200;

/** Yes-or-no filters; the first choice of each is a tab above the list, too. */
const FLAGS = [
  { filter: 'seen', any: 'Reviewed or not', choices: { false: 'To review', true: 'Reviewed' } },
  {
    filter: 'has_follow_ups',
    any: 'Any follow-ups',
    choices: { true: 'With follow-ups', false: 'No follow-ups' },
  },
] as const;

type Filter = 'project' | 'source' | 'campaign';

/** Filters whose choices come from the data. */
const FILTERS: readonly { filter: Filter; dimension: DimensionName; any: string }[] = [
  { filter: 'project', dimension: 'project', any: 'Any project' },
  { filter: 'source', dimension: 'form_source', any: 'Any source' },
  { filter: 'campaign', dimension: 'campaign', any: 'Any campaign' },
];

/** Filters by what a lead asked about, what brought it and what became of it. */
export function MoreFilters({
  search,
  onChange,
}: {
  search: LeadsSearch;
  onChange: ChangeSearch<LeadsSearch>;
}) {
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      {FLAGS.map(({ filter, any, choices }) => (
        <div key={filter} className="sm:w-44">
          <Select<string>
            label={FILTER_NAMES[filter]}
            value={String(search[filter] ?? ANY)}
            choices={[
              { value: ANY, label: any },
              ...Object.entries(choices).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(chosen) => onChange({ [filter]: flagOf(chosen) })}
          />
        </div>
      ))}
      {FILTERS.map(({ filter, dimension, any }) => (
        <OriginFilter
          key={filter}
          label={FILTER_NAMES[filter]}
          any={any}
          dimension={dimension}
          value={search[filter]}
          onChange={(chosen) => onChange({ [filter]: chosen })}
        />
      ))}
      {FIXED_FILTERS.map(({ filter, any, choices }) => (
        <div key={filter} className="sm:w-44">
          <Select<string>
            label={FILTER_NAMES[filter]}
            value={search[filter] ?? ANY}
            choices={[{ value: ANY, label: any }, ...choices]}
            onChange={(chosen) => onChange({ [filter]: chosen === ANY ? undefined : chosen })}
          />
        </div>
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
  const nameOf = useValueName();
  const known = (data?.rows ?? []).flatMap(({ dimensions: [each = ''], metrics: [leads] }) =>
    each.startsWith('(') || !leads
      ? []
      : [{ value: each, label: `${nameOf({ dimension, value: each })} (${formatNumber(leads)})` }],
  );
  const isMissing = value !== undefined && !known.some((each) => each.value === value);
  return (
    <div className="sm:w-44">
      <Select
        label={label}
        value={value ?? ANY}
        choices={[
          { value: ANY, label: any },
          // From a link, or spelled differently.
          ...(isMissing ? [{ value, label: nameOf({ dimension, value }) }] : []),
          ...known,
        ]}
        onChange={(chosen) => onChange(chosen === ANY ? undefined : chosen)}
      />
    </div>
  );
}
