import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import { classes } from './classes.ts';
import { INPUT_CLASSES } from './field.tsx';
import type { Choice } from './select.tsx';

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
      <Base.Trigger
        aria-label={label}
        className={classes(INPUT_CLASSES, 'flex items-center justify-between gap-2 text-left', className)}
      >
        <Base.Value className="truncate">{() => text}</Base.Value>
        <Base.Icon>
          <ChevronDown aria-hidden="true" className="size-4 text-ink-faint" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <Base.Popup className="max-h-[min(var(--available-height),24rem)] min-w-[var(--anchor-width)] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised">
            {choices.map((choice) => (
              <Base.Item
                key={choice.value}
                value={choice.value}
                className="grid max-w-80 cursor-default grid-cols-[1rem_minmax(0,1fr)] items-center gap-2 rounded-md py-1.5 pr-3 pl-2 text-sm outline-none data-highlighted:bg-sunken data-highlighted:shadow-[inset_3px_0_var(--accent)]"
              >
                <Base.ItemIndicator>
                  <Check aria-hidden="true" className="size-3.5 text-accent-text" />
                </Base.ItemIndicator>
                <Base.ItemText className="col-start-2 truncate">{choice.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
