import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

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
      <Base.List
        aria-label={label}
        className="flex max-w-full gap-1 overflow-x-auto rounded-lg bg-sunken p-1 [scrollbar-width:none] print:hidden"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="h-7 shrink-0 rounded-md px-3 text-[0.8125rem] font-medium text-ink-soft data-active:bg-surface data-active:text-ink data-active:shadow-sm"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {children}
    </Base.Root>
  );
}

export const TabPanel = Base.Panel;
