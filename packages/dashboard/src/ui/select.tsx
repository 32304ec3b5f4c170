import { Select as Base } from '@base-ui/react/select';
import type { Choice } from './choice.ts';
import { SelectList, SelectTrigger } from './select-parts.tsx';

export function Select<V extends string>({
  value,
  choices,
  onChange,
  label,
  className,
  ...tied
}: {
  value: V;
  choices: readonly Choice<V>[];
  onChange: (value: V) => void;
  /** For screen readers, where no visible label is linked to it. */
  label?: string;
  className?: string;
  id?: string;
  disabled?: boolean;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}) {
  return (
    <Base.Root
      items={choices as Choice<V>[]}
      value={value}
      onValueChange={(chosen) => onChange(chosen as V)}
      disabled={tied.disabled}
    >
      <SelectTrigger {...tied} aria-label={label} className={className}>
        <Base.Value className="truncate" />
      </SelectTrigger>
      <SelectList choices={choices} className="max-h-[var(--available-height)]" />
    </Base.Root>
  );
}
