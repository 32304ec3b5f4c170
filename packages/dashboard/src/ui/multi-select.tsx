import { Select as Base } from '@base-ui/react/select';
import type { Choice } from './choice.ts';
import { SelectList, SelectTrigger } from './select-parts.tsx';

/** Any number of choices. */
export function MultiSelect<V extends string>({
  label,
  text,
  value,
  choices,
  onChange,
  className,
}: {
  /** For screen readers. */
  label: string;
  /** What is chosen, in short. */
  text: string;
  value: readonly V[];
  choices: readonly Choice<V>[];
  onChange: (value: V[]) => void;
  className?: string;
}) {
  return (
    <Base.Root multiple value={[...value]} onValueChange={(next: V[]) => onChange(next)}>
      <SelectTrigger aria-label={label} className={className}>
        <Base.Value className="truncate">{() => text}</Base.Value>
      </SelectTrigger>
      <SelectList choices={choices} className="max-h-[min(var(--available-height),24rem)] max-w-80" />
    </Base.Root>
  );
}
