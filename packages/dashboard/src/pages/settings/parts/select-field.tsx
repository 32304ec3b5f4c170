import type { ReactNode } from 'react';
import type { Choice } from '../../../ui/choice.ts';
import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';

export function SelectField<V extends string>({
  label,
  hint,
  error,
  ...rest
}: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  value: V;
  choices: readonly Choice<V>[];
  onChange: (value: V) => void;
  className?: string;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) => <Select {...tied} {...rest} />}
    </Field>
  );
}
