import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Field, TextInput } from '../../../ui/field.tsx';

/** A short list of words. Enter or a comma adds one. */
export function ChipsField({
  label,
  hint,
  error,
  placeholder,
  value: values,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  error: string | undefined;
  placeholder?: string;
  value: readonly string[];
  onChange: (values: string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);

  function add() {
    const added = typed.split(',').map((each) => each.trim());
    const known = new Set(values.map((each) => each.toLowerCase()));
    onChange([...values, ...added.filter((each) => each !== '' && !known.has(each.toLowerCase()))]);
    setTyped('');
  }

  function remove(value: string) {
    onChange(values.filter((each) => each !== value));
    input.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if ((event.key === 'Enter' || event.key === ',') && typed.trim() !== '') {
      event.preventDefault();
      add();
    }
  }

  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {values.length > 0 && (
            <ul aria-label={label} className="flex flex-wrap gap-1.5">
              {values.map((value) => (
                <li
                  key={value}
                  className="flex max-w-full items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-2.5 text-[0.8125rem]"
                >
                  <span className="min-w-0 truncate">{value}</span>
                  <button
                    type="button"
                    aria-label={`Remove ${value}`}
                    onClick={() => remove(value)}
                    className="grid size-7 place-items-center rounded text-ink-faint hover:bg-line hover:text-ink"
                  >
                    <X aria-hidden="true" className="size-3.5" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <div className="flex max-w-md gap-2">
            <TextInput
              {...tied}
              ref={input}
              {...(placeholder === undefined ? {} : { placeholder })}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={onKeyDown}
              onBlur={() => typed.trim() !== '' && add()}
            />
            <Button onClick={add} disabled={typed.trim() === ''}>
              Add
            </Button>
          </div>
        </div>
      )}
    </Field>
  );
}
