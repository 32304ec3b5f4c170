import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';

/** Shows the first lines of a long text, with a button for the rest. */
export function LongText({ children, className }: { children: ReactNode; className?: string }) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null || isWhole) return;
    // How much fits depends on the width.
    const observer = new ResizeObserver(() => setCut(current.scrollHeight > current.clientHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [isWhole]);
  return (
    <div className={classes('grid justify-items-start gap-1', className)}>
      <div
        ref={place}
        id={id}
        className={classes('w-full break-words whitespace-pre-wrap', !isWhole && 'line-clamp-6')}
      >
        {children}
      </div>
      {isCut && (
        <button
          type="button"
          aria-expanded={isWhole}
          aria-controls={id}
          onClick={() => setWhole(!isWhole)}
          className="text-[0.8125rem] font-medium text-accent-text hover:underline max-sm:min-h-11"
        >
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}
