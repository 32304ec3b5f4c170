import type { CostsImported } from '@leadtrail/contract/costs';
import { useState } from 'react';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { COST_FIELDS, type CostField, type NamedColumns } from './import-costs.ts';

/** Maps the columns of the file where the guess is wrong or missing. */
export function CostsColumns({
  columns,
  found = {},
  isNeeded,
  named,
  onChange,
}: {
  columns: readonly string[];
  found?: CostsImported['columns'] | undefined;
  /** The file cannot be read without it. */
  isNeeded: boolean;
  named: NamedColumns;
  onChange: (named: NamedColumns) => void;
}) {
  // Stays open once the columns make sense.
  const [wasNeeded, setNeeded] = useState(isNeeded);
  if (isNeeded && !wasNeeded) setNeeded(true);

  function name(field: keyof NamedColumns, value: string) {
    const { [field]: _before, ...others } = named;
    onChange(value === '' ? others : { ...others, [field]: value });
  }

  return (
    <Disclosure title="Change columns" isOpen={wasNeeded}>
      <div className="grid gap-4 pt-1 sm:grid-cols-3">
        {(Object.keys(COST_FIELDS) as CostField[]).map((field) => (
          <Field key={field} label={COST_FIELDS[field]}>
            {(tied) => (
              <Select
                {...tied}
                value={named[field] ?? ''}
                choices={[
                  {
                    value: '',
                    label: named[field] === undefined ? (found[field] ?? 'None') : 'Detect automatically',
                  },
                  ...columns.map((column) => ({ value: column, label: column })),
                ]}
                onChange={(column) => name(field, column)}
              />
            )}
          </Field>
        ))}
        {(['source', 'medium'] as const).map((field) => (
          <Field key={field} label={`${COST_FIELDS[field]} for lines without one`}>
            {(tied) => (
              <TextInput
                {...tied}
                defaultValue={named[`default_${field}`]}
                placeholder={field === 'source' ? 'linkedin' : 'paid_social'}
                maxLength={256}
                onBlur={(event) => name(`default_${field}`, event.target.value.trim())}
              />
            )}
          </Field>
        ))}
      </div>
    </Disclosure>
  );
}
