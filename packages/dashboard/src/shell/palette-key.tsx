import { lazy, Suspense, useEffect, useState } from 'react';

const load = async () => ({ default: (await import('./palette.tsx')).Palette });
const Palette = lazy(load);
/** After the page itself has loaded. */
const PRELOAD_AFTER_MS = 1000;

/** Ctrl-K or Cmd-K, on every page. */
export function PaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  // Whoever types on at once would type into the page while it loads.
  useEffect(() => {
    const timer = setTimeout(() => load().catch(() => {}), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  );
}
