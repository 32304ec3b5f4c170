import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import { classes } from './classes.ts';
import { INPUT_CLASSES } from './field.tsx';

export type Choice<V extends string> = { value: V; label: string };

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
      <Base.Trigger
        {...tied}
        aria-label={label}
        className={classes(INPUT_CLASSES, 'flex items-center justify-between gap-2 text-left', className)}
      >
        <Base.Value className="truncate" />
        <Base.Icon>
          <ChevronDown aria-hidden="true" className="size-4 text-ink-faint" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <Base.Popup className="max-h-[var(--available-height)] min-w-[var(--anchor-width)] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised">
            {choices.map((choice) => (
              <Base.Item
                key={choice.value}
                value={choice.value}
                className="grid cursor-default grid-cols-[1rem_1fr] items-center gap-2 rounded-md py-1.5 pr-3 pl-2 text-sm outline-none data-highlighted:bg-sunken data-highlighted:shadow-[inset_3px_0_var(--accent)]"
              >
                <Base.ItemIndicator>
                  <Check aria-hidden="true" className="size-3.5 text-accent-text" />
                </Base.ItemIndicator>
                <Base.ItemText className="col-start-2">{choice.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
