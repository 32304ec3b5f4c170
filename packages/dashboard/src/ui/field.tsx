import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

export const INPUT_CLASSES =
  'h-11 w-full min-w-0 rounded-lg border border-line-control bg-surface px-3 text-sm text-ink placeholder:text-ink-faint disabled:opacity-60 aria-invalid:border-negative sm:h-9';

/** A labelled field with a hint or an error; the control gets the ids that link them. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: (tied: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = error !== undefined || hint != null;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <label htmlFor={id} className="text-[0.8125rem] font-medium">
        {label}
      </label>
      {children({
        id,
        ...(hasNote ? { 'aria-describedby': noteId } : {}),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hasNote && (
        <p
          id={noteId}
          role={error === undefined ? undefined : 'alert'}
          className={classes('text-[0.8125rem] text-pretty', error ? 'text-negative' : 'text-ink-faint')}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input type="text" autoComplete="off" {...rest} className={classes(INPUT_CLASSES, className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea {...rest} className={classes(INPUT_CLASSES, 'h-auto min-h-20 py-2 sm:h-auto', className)} />
  );
}
