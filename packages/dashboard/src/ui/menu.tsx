import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { classes } from './classes.ts';

export type MenuEntry = {
  label: ReactNode;
  icon?: ReactNode;
  onSelect: () => void;
  isDangerous?: boolean;
  isDisabled?: boolean;
};

export function Menu({ trigger, entries }: { trigger: ReactElement; entries: readonly MenuEntry[] }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50 outline-none">
          <Base.Popup className="min-w-44 rounded-lg border border-line bg-raised p-1 shadow-raised outline-none">
            {entries.map((entry, index) => (
              <Base.Item
                // biome-ignore lint/suspicious/noArrayIndexKey: The entries of a menu do not move.
                key={index}
                onClick={entry.onSelect}
                disabled={entry.isDisabled ?? false}
                className={classes(
                  'flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-sunken data-highlighted:shadow-[inset_3px_0_var(--accent)] [&_svg]:size-4',
                  entry.isDangerous ? 'text-negative' : 'text-ink',
                )}
              >
                {entry.icon}
                {entry.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
