import { type ReactNode, useEffect, useRef, useState } from 'react';

const MARGIN = '200px';

/** Defers heavy content until it scrolls into view. */
export function WhenInView({ placeholder, children }: { placeholder: ReactNode; children: ReactNode }) {
  const [isSeen, setSeen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: MARGIN },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={place}>{isSeen ? children : placeholder}</div>;
}
