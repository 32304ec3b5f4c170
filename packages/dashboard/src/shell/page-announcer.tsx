import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** Announces the new page to screen readers and moves lost focus to its content. */
export function PageAnnouncer() {
  const { pathname } = useLocation();
  const [title, setTitle] = useState('');
  const isFirst = useRef(true);

  useEffect(() => {
    const place = document.querySelector('title');
    if (place === null) return;
    const observer = new MutationObserver(() => {
      if (!isFirst.current) setTitle(document.title);
    });
    observer.observe(place, { childList: true });
    return () => observer.disconnect();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: Runs on every change of page.
  useEffect(() => {
    // Browsers announce the first page.
    if (!isFirst.current && document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [pathname]);

  return (
    <p aria-live="polite" className="sr-only print:hidden">
      {title}
    </p>
  );
}
