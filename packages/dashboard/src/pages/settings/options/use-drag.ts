import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react';

type Drag = { from: number; to: number; shift: number; height: number };

/** Drag and drop for list rows. Rows are only translated during a drag: a row moved in the DOM loses the pointer. */
export function useDrag(onDrop: (from: number, to: number) => void) {
  const list = useRef<HTMLUListElement>(null);
  const stop = useRef<() => void>(undefined);
  const [drag, setDrag] = useState<Drag | null>(null);
  useEffect(() => () => stop.current?.(), []);

  function start(event: ReactPointerEvent, from: number) {
    if (event.button !== 0 || list.current === null) return;
    const rows = [...list.current.children].map((row) => row.getBoundingClientRect());
    const own = rows[from];
    if (own === undefined) return;
    const startY = event.pageY;
    let last: Drag = { from, to: from, shift: 0, height: own.height };
    setDrag(last);

    const onMove = (moved: PointerEvent) => {
      const shift = moved.pageY - startY;
      const middle = own.top + own.height / 2 + shift;
      const to = rows.filter((row, i) => i !== from && row.top + row.height / 2 < middle).length;
      last = { ...last, to, shift };
      setDrag(last);
    };
    const onEnd = (ended: Event) => {
      stop.current?.();
      if (ended.type === 'pointerup' && last.to !== from) onDrop(from, last.to);
    };
    const onKey = (pressed: KeyboardEvent) => pressed.key === 'Escape' && stop.current?.();
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onEnd);
    addEventListener('pointercancel', onEnd);
    addEventListener('keydown', onKey);
    stop.current = () => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onEnd);
      removeEventListener('pointercancel', onEnd);
      removeEventListener('keydown', onKey);
      setDrag(null);
    };
  }

  return { list, start, drag };
}

/** The offset of a row during a drag. */
export function shiftOf(drag: Drag | null, index: number): number {
  if (drag === null) return 0;
  const { from, to, shift, height } = drag;
  if (index === from) return shift;
  if (index > from && index <= to) return -height;
  return index < from && index >= to ? height : 0;
}
