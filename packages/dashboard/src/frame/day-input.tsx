import { useEffect, useState } from 'react';
import { TextInput } from '../ui/field.tsx';

/** Ignores half-typed years such as 0020. */
const FIRST_DAY = '1970-01-01';

export function DayInput({
  label,
  day,
  min,
  max,
  noteId,
  onChange,
}: {
  label: string;
  day: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  /** The id of its error message. */
  noteId?: string | undefined;
  onChange: (day: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(day ?? '');
  // Follows the address, for example after going back.
  useEffect(() => setTyped(day ?? ''), [day]);

  function take(value: string) {
    setTyped(value);
    if (value === '') onChange(undefined);
    else if (value >= FIRST_DAY) onChange(value);
  }

  return (
    <TextInput
      aria-label={label}
      type="date"
      min={min}
      max={max}
      {...(noteId === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': noteId })}
      value={typed}
      onChange={(event) => take(event.target.value)}
      className="sm:w-40"
    />
  );
}
