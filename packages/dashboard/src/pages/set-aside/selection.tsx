import { type ReactNode, useMemo, useState } from 'react';
import { personName } from '../../shared/person-name.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import type { Column } from '../../ui/table.tsx';
import type { SetAsideLead } from './set-aside-kind.ts';

export type Selection = {
  /** Only rows of this page, so that nothing is deleted unseen. */
  ids: number[];
  isAll: boolean;
  has: (id: number) => boolean;
  set: (id: number, isSelected: boolean) => void;
  setAll: (isSelected: boolean) => void;
  clear: () => void;
};

export function useSelection(rows: readonly SetAsideLead[] | undefined): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  return useMemo(() => {
    const shown = rows?.map(({ id }) => id) ?? [];
    const ids = shown.filter((id) => chosen.has(id));
    return {
      ids,
      isAll: ids.length > 0 && ids.length === shown.length,
      has: (id) => chosen.has(id),
      set: (id, isSelected) =>
        setChosen(new Set(isSelected ? [...ids, id] : ids.filter((each) => each !== id))),
      setAll: (isSelected) => setChosen(new Set(isSelected ? shown : [])),
      clear: () => setChosen(new Set()),
    };
  }, [rows, chosen]);
}

export function selectColumn(selection: Selection): Column<SetAsideLead> {
  return {
    key: 'select',
    title: (
      <CheckboxArea>
        <Checkbox
          label="Select all on this page"
          isChecked={selection.isAll}
          isMixed={selection.ids.length > 0 && !selection.isAll}
          onChange={selection.setAll}
        />
      </CheckboxArea>
    ),
    cell: (row) => (
      <CheckboxArea>
        <Checkbox
          label={`Select ${personName(row)}`}
          isChecked={selection.has(row.id)}
          onChange={(isSelected) => selection.set(row.id, isSelected)}
        />
      </CheckboxArea>
    ),
    className: 'w-8',
  };
}

/** Enlarges the touch target. */
function CheckboxArea({ children }: { children: ReactNode }) {
  // biome-ignore lint/a11y/noLabelWithoutControl: The control comes with the children, and has a name of its own.
  return <label className="-m-3 grid size-11 place-items-center">{children}</label>;
}
