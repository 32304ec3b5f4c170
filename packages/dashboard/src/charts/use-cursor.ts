import { type KeyboardEvent, useState } from 'react';

/** Far enough to get through a year, and a whole week where the points are days. */
const FAR = 7;

/** Which point of a chart is being read, moved with the pointer or with the keys of a slider. */
export function useCursor(count: number) {
  const [point, setPoint] = useState<number | null>(null);
  // The points may have become fewer since.
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
