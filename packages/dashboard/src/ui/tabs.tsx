import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { SEGMENT, SEGMENT_ROW } from './segment.ts';

export type Tab<V extends string> = { value: V; label: ReactNode };

/** Tabs; the panels are `TabPanel` children or the caller's own. */
export function Tabs<V extends string>({
  value,
  tabs,
  onChange,
  label,
  children,
}: {
  value: V;
  tabs: readonly Tab<V>[];
  onChange: (value: V) => void;
  label: string;
  children?: ReactNode;
}) {
  return (
    <Base.Root value={value} onValueChange={(chosen) => onChange(chosen as V)} className="min-w-0">
      <Base.List aria-label={label} className={classes(SEGMENT_ROW, 'print:hidden')}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={SEGMENT}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {children}
    </Base.Root>
  );
}

export const TabPanel = Base.Panel;
