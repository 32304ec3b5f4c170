import { Rows2, Rows4 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { MultiSelect } from '../../ui/multi-select.tsx';
import { COLUMN_NAMES, COLUMNS, type TableLook } from './table-look.ts';

/** The columns of the table and the height of its rows. */
export function TableLookMenu({
  look: { columns, isCompact },
  onChange,
}: {
  look: TableLook;
  onChange: (change: Partial<TableLook>) => void;
}) {
  return (
    <div className="flex items-center gap-1 max-sm:hidden">
      <Button
        look="ghost"
        aria-label="Compact rows"
        aria-pressed={isCompact}
        title={isCompact ? 'Show more of each lead' : 'Show more leads at once'}
        icon={isCompact ? <Rows2 aria-hidden="true" /> : <Rows4 aria-hidden="true" />}
        onClick={() => onChange({ isCompact: !isCompact })}
      />
      <MultiSelect
        label="Columns"
        className="w-32"
        text="Columns"
        value={columns}
        choices={COLUMNS.map((value) => ({ value, label: COLUMN_NAMES[value] }))}
        // In the order in which they are offered.
        onChange={(chosen) => onChange({ columns: COLUMNS.filter((name) => chosen.includes(name)) })}
      />
    </div>
  );
}
