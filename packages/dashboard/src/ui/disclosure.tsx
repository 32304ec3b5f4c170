import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export function Disclosure({
  title,
  isOpen,
  children,
}: {
  title: ReactNode;
  /** Until the user opens or closes it. */
  isOpen?: boolean;
  children: ReactNode;
}) {
  return (
    <details open={isOpen} className="group min-w-0">
      <summary className="inline-flex items-center gap-1 rounded text-[0.8125rem] font-medium text-ink-soft select-none hover:text-ink max-sm:min-h-11">
        <ChevronRight aria-hidden="true" className="size-3.5 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="mt-2 min-w-0">{children}</div>
    </details>
  );
}
