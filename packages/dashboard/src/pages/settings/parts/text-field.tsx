import type { ComponentProps, ReactNode } from 'react';
import { Field, TextInput } from '../../../ui/field.tsx';

export function TextField({
  label,
  hint,
  error,
  isCode = false,
  onChange,
  ...rest
}: Omit<ComponentProps<'input'>, 'onChange' | 'value'> & {
  label: string;
  hint?: ReactNode;
  error: string | undefined;
  /** For keys: monospaced, without spell checking. */
  isCode?: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) => (
        <TextInput
          {...tied}
          {...(isCode ? { spellCheck: false, className: 'font-mono text-[0.8125rem]' } : {})}
          {...rest}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
