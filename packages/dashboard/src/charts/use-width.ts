import { type RefCallback, useCallback, useState } from 'react';
import { flushSync } from 'react-dom';

/** Between the margins of A4 and Letter, about. */
const PAPER_WIDTH = 700;

/** The element's width; 0 until it is measured. */
export function useWidth(): [RefCallback<Element>, number] {
  const [width, setWidth] = useState(0);
  const measure = useCallback((element: Element | null) => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    // A `ResizeObserver` does not fire for the print layout.
    const beforePrint = () => flushSync(() => setWidth(PAPER_WIDTH));
    const afterPrint = () => setWidth(Math.round(element.getBoundingClientRect().width));
    addEventListener('beforeprint', beforePrint);
    addEventListener('afterprint', afterPrint);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', beforePrint);
      removeEventListener('afterprint', afterPrint);
    };
  }, []);
  return [measure, width];
}
