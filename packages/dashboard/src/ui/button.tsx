import { type ComponentProps, type FocusEvent, type ReactNode, useState } from 'react';
import { classes } from './classes.ts';
import { Spinner } from './spinner.tsx';

type Look = 'primary' | 'secondary' | 'ghost' | 'danger';

const LOOKS: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  secondary: 'border border-line-strong bg-surface text-ink hover:bg-sunken',
  ghost: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'border border-negative/40 bg-surface text-negative hover:bg-negative-soft',
};

export type ButtonProps = ComponentProps<'button'> & {
  look?: Look;
  size?: 'small' | 'normal';
  icon?: ReactNode;
  isBusy?: boolean;
};

export function Button({
  look = 'secondary',
  size = 'normal',
  icon,
  isBusy = false,
  className,
  children,
  disabled = false,
  onClick,
  onFocus,
  onBlur,
  ...rest
}: ButtonProps) {
  const [hasFocus, setFocus] = useState(false);
  const isOff = isBusy || disabled;
  return (
    <button
      type="button"
      {...rest}
      // A disabled button loses the focus, so a focused or busy one is only aria-disabled.
      disabled={disabled && !hasFocus}
      aria-disabled={isOff || undefined}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      onFocus={(event: FocusEvent<HTMLButtonElement>) => {
        setFocus(true);
        onFocus?.(event);
      }}
      onBlur={(event: FocusEvent<HTMLButtonElement>) => {
        setFocus(false);
        onBlur?.(event);
      }}
      aria-busy={isBusy || undefined}
      className={buttonClasses({ look, size, hasText: children != null, className })}
    >
      {isBusy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/** For links that look like buttons. */
export function buttonClasses({
  look = 'secondary',
  size = 'normal',
  hasText = true,
  className,
}: {
  look?: Look;
  size?: 'small' | 'normal';
  hasText?: boolean;
  className?: string | undefined;
} = {}): string {
  return classes(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap',
    'transition-[background-color,filter,color] duration-150 disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
    'h-11',
    size === 'small' ? 'text-[0.8125rem] sm:h-8' : 'text-sm sm:h-9',
    hasText ? (size === 'small' ? 'px-2.5' : 'px-3.5') : size === 'small' ? 'w-11 sm:w-8' : 'w-11 sm:w-9',
    LOOKS[look],
    className,
  );
}
