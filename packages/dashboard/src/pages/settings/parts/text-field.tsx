import type { ComponentProps, ReactNode } from 'react';
import { Field, TextInput } from '../../../ui/field.tsx';

/** One line of text with its label and what is to be said about it. */
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
  /** Keys and the like, which no dictionary knows. */
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
