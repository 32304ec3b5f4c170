import { type KeyboardEvent, type MouseEvent, type PointerEvent, useRef, useState } from 'react';

/** Page Up and Page Down: a week, where the points are days. */
const FAR = 7;

/** The click or the key that opened a point. */
export type OpeningEvent = MouseEvent | KeyboardEvent;

/**
 * The selected point of a chart, moved by pointer or by slider keys. A click or Enter opens it; a finger, which cannot hover,
 * reads with the first tap and opens with the second.
 */
export function useCursor(count: number, onOpen?: (at: number, event: OpeningEvent) => void) {
  const [point, setPoint] = useState<number | null>(null);
  const [isTouched, setTouched] = useState(false);
  /** Where the cursor was when the pointer went down. */
  const pressedAt = useRef<number | null>(null);
  // There may be fewer points than before.
  const at = point === null || count === 0 ? null : Math.min(point, count - 1);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && at !== null) onOpen?.(at, event);
    const from = at ?? count - 1;
    const to = { ...steps(from), Home: 0, End: count - 1, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setPoint(to === null ? null : Math.max(0, Math.min(to, count - 1)));
  }

  function onPointerDown({ pointerType }: PointerEvent) {
    pressedAt.current = at;
    setTouched(pointerType === 'touch');
  }

  function onClick(event: MouseEvent) {
    if (at !== null && (!isTouched || pressedAt.current === at)) onOpen?.(at, event);
  }

  const leave = () => setPoint(null);
  /** Lifting a finger fires `pointerleave`, too, but the value is still to be read. */
  const onPointerLeave = ({ pointerType }: PointerEvent) => pointerType === 'touch' || leave();

  return { at, isTouched, moveTo: setPoint, leave, onKeyDown, onPointerDown, onPointerLeave, onClick };
}

function steps(from: number): Record<string, number> {
  return {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    PageDown: from - FAR,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageUp: from + FAR,
  };
}
