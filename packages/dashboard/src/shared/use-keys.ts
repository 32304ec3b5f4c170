import { useEffect, useRef } from 'react';

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const TYPED_INTO =
  'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="slider"], [role="combobox"]';
const ON_TOP = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** Toasts are dialogs, too, but nobody has to answer them; and what is closing is closed for whoever closed it. */
const PASSED_OVER = '[aria-label="Notifications"], [data-closed]';

/** Single keys that act on the whole page: not while somebody types, and not behind a dialog or menu. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = latest.current[event.key];
      if (act === undefined || (event.target as Element).closest?.(TYPED_INTO)) return;
      if (isSomethingOnTop()) return;
      act(event);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function isSomethingOnTop(): boolean {
  return [...document.querySelectorAll(ON_TOP)].some((each) => each.closest(PASSED_OVER) === null);
}
