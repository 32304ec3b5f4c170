import { counted } from '../format.ts';
import { MultiSelect } from '../ui/multi-select.tsx';

const ALL = '';

/** Any number of sites; none chosen means all of them. */
export function SiteSelect({
  sites,
  chosen,
  onChange,
}: {
  sites: readonly { key: string; name: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  const unknown = chosen.filter((key) => !sites.some((site) => site.key === key));
  const all = [...unknown.map((key) => ({ key, name: key })), ...sites];
  const [only, ...others] = chosen;
  const text =
    only === undefined
      ? 'All sites'
      : others.length > 0
        ? counted(chosen.length, 'site')
        : (all.find(({ key }) => key === only)?.name ?? only);
  return (
    <MultiSelect
      label="Sites"
      className="sm:w-48"
      text={text}
      value={only === undefined ? [ALL] : chosen}
      choices={[
        { value: ALL, label: 'All sites' },
        ...all.map(({ key, name }) => ({ value: key, label: name })),
      ]}
      // “All sites” clears the other choices, and any other choice clears it.
      onChange={(next) => onChange(next.at(-1) === ALL ? [] : next.filter((key) => key !== ALL))}
    />
  );
}
