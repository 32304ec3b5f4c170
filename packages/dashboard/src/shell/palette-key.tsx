import { lazy, Suspense, useEffect, useState } from 'react';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

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
  if (!isOpen) return null;
  return (
    <Suspense>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  );
}
