import type { ReactNode } from 'react';
import { TextField } from './text-field.tsx';

/** A number with its unit, kept as text until it is saved. */
export function NumberField({
  label,
  unit,
  hint,
  error,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  unit: string;
  hint?: ReactNode;
  error: string | undefined;
  /** What empty means. */
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextField
      label={`${label} (${unit})`}
      hint={hint}
      error={error}
      placeholder={placeholder}
      inputMode="decimal"
      className="max-w-40 tabular-nums"
      value={value}
      onChange={onChange}
    />
  );
}
