import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';

/** A few views of the same figures, one of them shown. */
export function Segments<V extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: V;
  choices: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}) {
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={([chosen]) => chosen !== undefined && onChange(chosen as V)}
      className="flex gap-1 rounded-lg bg-sunken p-1"
    >
      {choices.map((choice) => (
        <Toggle
          key={choice.value}
          value={choice.value}
          className="h-9 rounded-md px-3 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft hover:text-ink data-pressed:bg-surface data-pressed:text-ink data-pressed:shadow-sm sm:h-7"
        >
          {choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
