import { DIMENSIONS, type DimensionName, METRICS } from '@leadtrail/contract/question-fields';
import { counted } from '../../format.ts';
import type { Frame } from '../../frame/frame.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { MultiSelect } from '../../ui/multi-select.tsx';
import { Select } from '../../ui/select.tsx';
import { GoalSelect } from './goal-select.tsx';
import {
  ATTRIBUTIONS,
  type CampaignsSearch,
  COLUMNS,
  chosenColumns,
  LEVELS,
  levelsOf,
  listText,
  type ShownAttribution,
} from './search.ts';

const NONE = 'none';
const LEVELS_MAX = 3;
const POSITIONS = ['Rows', 'Then by', 'And then by'] as const;
const ATTRIBUTION_NAMES: Readonly<Record<ShownAttribution, string>> = {
  last_non_direct: 'Last non-direct',
  first: 'First touch',
  last: 'Last touch',
};

/** What the rows are, level by level, the columns, which touch a lead counts for, and the goal. */
export function TableSetup({
  frame,
  search,
  onChange,
}: {
  frame: Frame;
  search: CampaignsSearch;
  onChange: ChangeSearch<CampaignsSearch>;
}) {
  const levels = levelsOf(search);
  const columns = chosenColumns(search);

  function setLevel(at: number, chosen: DimensionName | typeof NONE) {
    const others = levels.filter((level, index) => index !== at && level !== chosen);
    const next = chosen === NONE ? levels.slice(0, at) : others.toSpliced(at, 0, chosen);
    onChange({ by: listText(next.slice(0, LEVELS_MAX)) });
  }

  return (
    <section aria-label="Table" className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap print:hidden">
      {POSITIONS.slice(0, levels.length + 1).map((label, at) => (
        <Select
          key={label}
          label={label}
          className="sm:w-44"
          value={levels[at] ?? NONE}
          choices={[
            ...(at === 0 ? [] : [{ value: NONE, label: '–' } as const]),
            ...LEVELS.map((value) => ({ value, label: DIMENSIONS[value] })),
          ]}
          onChange={(chosen) => setLevel(at, chosen)}
        />
      ))}
      <MultiSelect
        label="Columns"
        className="sm:w-36"
        text={counted(columns.length, 'column')}
        value={columns}
        choices={COLUMNS.map((value) => ({ value, label: METRICS[value].label }))}
        onChange={(chosen) =>
          // In the order in which they are offered.
          onChange({ columns: listText(COLUMNS.filter((name) => chosen.includes(name))) })
        }
      />
      <Select
        label="Credit leads to"
        className="sm:w-52"
        value={search.attribution ?? 'last_non_direct'}
        choices={ATTRIBUTIONS.map((value) => ({ value, label: ATTRIBUTION_NAMES[value] }))}
        onChange={(chosen) => onChange({ attribution: chosen === 'last_non_direct' ? undefined : chosen })}
      />
      <GoalSelect frame={frame} goal={search.goal} onChange={(goal) => onChange({ goal })} />
    </section>
  );
}
