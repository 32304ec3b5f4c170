import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import type { Choice } from './choice.ts';
import { classes } from './classes.ts';
import { INPUT_CLASSES } from './field.tsx';

/** What a select of one choice and one of several have in common. */

type TriggerProps = ComponentProps<typeof Base.Trigger>;

export function SelectTrigger({
  children,
  className,
  ...tied
}: Omit<TriggerProps, 'className' | 'onKeyDown'> & {
  children: ReactNode;
  className?: string | undefined;
}) {
  return (
    <Base.Trigger
      {...tied}
      onKeyDown={leaveLetters}
      className={classes(INPUT_CLASSES, 'flex items-center justify-between gap-2 text-left', className)}
    >
      {children}
      <Base.Icon>
        <ChevronDown aria-hidden="true" className="size-4 text-ink-faint" />
      </Base.Icon>
    </Base.Trigger>
  );
}

/** Disables typeahead on a closed select: letters are shortcuts of the page. */
const leaveLetters: NonNullable<TriggerProps['onKeyDown']> = (event) => {
  const isOpen = event.currentTarget.getAttribute('aria-expanded') === 'true';
  if (!isOpen && event.key.length === 1 && event.key !== ' ') event.preventBaseUIHandler();
};

export function SelectList<V extends string>({
  choices,
  className,
}: {
  choices: readonly Choice<V>[];
  /** Limits its size. */
  className: string;
}) {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
        <Base.Popup
          className={classes(
            'min-w-[var(--anchor-width)] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised',
            className,
          )}
        >
          {choices.map((choice) => (
            <Base.Item
              key={choice.value}
              value={choice.value}
              className="grid cursor-default grid-cols-[1rem_minmax(0,1fr)] items-center gap-2 rounded-md py-1.5 pr-3 pl-2 text-sm outline-none data-highlighted:bg-sunken data-highlighted:shadow-[inset_3px_0_var(--accent)]"
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
  );
}
