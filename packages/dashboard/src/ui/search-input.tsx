import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { INPUT_CLASSES } from './field.tsx';

const WAIT_MS = 250;

/** A debounced search field. `/` focuses it from anywhere on the page. */
export function SearchInput({
  value,
  onSearch,
  label,
  placeholder = 'Search',
  className,
}: {
  value: string;
  onSearch: (text: string) => void;
  label: string;
  placeholder?: string;
  className?: string;
}) {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onSearch);
  latest.current = onSearch;

  const sent = useRef(value);

  // Follows the address after going back, but ignores the echo of an older search of its own, which would undo
  // what was typed since.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      latest.current(typed);
    }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).closest('input, textarea, select, [contenteditable]');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  return (
    <div className={classes('relative', className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-faint"
      />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={classes(INPUT_CLASSES, 'pl-9 text-ellipsis')}
      />
    </div>
  );
}
