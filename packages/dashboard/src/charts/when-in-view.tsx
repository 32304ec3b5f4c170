import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Begins a little before it can be seen. */
const MARGIN = '200px';

/** Shows what is costly to load once somebody is about to see it. */
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
