import { useNames } from '../../frame/use-names.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Button } from '../../ui/button.tsx';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { FILTER_KEYS, FILTER_NAMES, filterText } from './filters.ts';
import type { LeadsSearch } from './search.ts';
import { presetOf } from './views.ts';

/** The active filters, each of them removable; those of a preset are named by its tab. */
export function FilterChips({
  search,
  onChange,
}: {
  search: LeadsSearch;
  onChange: ChangeSearch<LeadsSearch>;
}) {
  const { labelOf } = useNames();
  const used = FILTER_KEYS.flatMap((key) => {
    const text = filterText(search, key);
    if (text === undefined) return [];
    return [{ key, text: key === 'project' || key === 'source' ? labelOf(key, text) : text }];
  });
  if (used.length === 0 || presetOf(search) !== undefined) return null;
  const none = Object.fromEntries(FILTER_KEYS.map((key) => [key, undefined]));
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <ul aria-label="Filters" className="contents">
        {used.map(({ key, text }) => (
          <li key={key} className="min-w-0">
            <FilterChip
              name={FILTER_NAMES[key]}
              value={text}
              onRemove={() => onChange({ [key]: undefined })}
            />
          </li>
        ))}
      </ul>
      {used.length > 1 && (
        <Button look="ghost" size="small" onClick={() => onChange(none)}>
          Remove all
        </Button>
      )}
    </div>
  );
}
