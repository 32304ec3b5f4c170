import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../code.ts';

const load = async () => (await import('./palette.tsx')).Palette;
const Palette = lazyPart(load);
/** After the page itself has loaded. */
const PRELOAD_AFTER_MS = 1000;

/** Ctrl-K or Cmd-K, on every page. */
export function PaletteKey() {
  /** Opening: asked for, but its field does not have the focus yet. */
  const [state, setState] = useState<'closed' | 'opening' | 'open'>('closed');
  const [typed, setTyped] = useState('');

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        if (state === 'closed') {
          setTyped('');
          setState('opening');
        }
      } else if (state === 'opening' && !event.ctrlKey && !event.metaKey && !event.altKey) {
        // Keys typed while it opens are meant for its field, not for page shortcuts or the focused element.
        const { key } = event;
        if (key === 'Escape') setState('closed');
        else if (key === 'Backspace') setTyped((before) => before.slice(0, -1));
        else if (key.length === 1) setTyped((before) => before + key);
        else if (key !== 'Enter') return;
        event.preventDefault();
        event.stopPropagation();
      }
    };
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, [state]);
  useEffect(() => {
    const timer = setTimeout(() => load().catch(() => {}), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  if (state === 'closed') return null;
  return (
    <Suspense>
      <Palette
        typed={typed}
        onType={setTyped}
        onReady={() => setState('open')}
        onClose={() => setState('closed')}
      />
    </Suspense>
  );
}

function isPaletteKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey;
}
