import { type RefCallback, useCallback, useState } from 'react';

/** The element's width; 0 until it is measured. */
export function useWidth(): [RefCallback<Element>, number] {
  const [width, setWidth] = useState(0);
  const measure = useCallback((element: Element | null) => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [measure, width];
}
