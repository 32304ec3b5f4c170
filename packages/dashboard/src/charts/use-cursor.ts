import { type KeyboardEvent, useState } from 'react';

/** Page Up and Page Down: a week, where the points are days. */
const FAR = 7;

/** The selected point of a chart, moved by pointer or by slider keys. */
export function useCursor(count: number) {
  const [point, setPoint] = useState<number | null>(null);
  // There may be fewer points than before.
  const at = point === null || count === 0 ? null : Math.min(point, count - 1);

  function onKeyDown(event: KeyboardEvent) {
    const from = at ?? count - 1;
    const to = { ...steps(from), Home: 0, End: count - 1, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setPoint(to === null ? null : Math.max(0, Math.min(to, count - 1)));
  }

  return { at, moveTo: setPoint, onKeyDown, leave: () => setPoint(null) };
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
