import { useEffect, useRef } from 'react';

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const TYPED_INTO = 'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="slider"]';
/** Selects handle these keys and leave all others to the page. */
const SELECT = '[role="combobox"]';
const KEYS_OF_SELECTS: ReadonlySet<string> = new Set(['Enter', ' ', 'ArrowDown', 'ArrowUp']);
const ON_TOP = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** Toasts and closing dialogs do not block the page. */
const PASSED_OVER = '[aria-label="Notifications"], [data-closed]';

/** Single-key shortcuts of a page: off while the viewer types, and behind a dialog or menu. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = latest.current[event.key];
      if (act === undefined || isTakenBy(event.target as Element, event.key) || isSomethingOnTop()) return;
      act(event);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function isTakenBy(place: Element, key: string): boolean {
  if (place.closest?.(TYPED_INTO)) return true;
  return KEYS_OF_SELECTS.has(key) && Boolean(place.closest?.(SELECT));
}

function isSomethingOnTop(): boolean {
  return [...document.querySelectorAll(ON_TOP)].some((each) => each.closest(PASSED_OVER) === null);
}
