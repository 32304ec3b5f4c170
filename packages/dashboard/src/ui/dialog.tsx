import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  width = 'normal',
}: {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  width?: 'normal' | 'wide';
}) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          // Not the close button; nor a field after a touch, which would open the on-screen keyboard.
          initialFocus={(opened) => (opened === 'touch' ? popup.current : firstField(popup.current))}
          className={classes(
            'fixed top-1/2 left-1/2 z-40 grid grid-cols-[minmax(0,1fr)] max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 gap-4 overflow-y-auto',
            'rounded-2xl border border-line bg-raised p-5 shadow-raised outline-none sm:p-6',
            'transition-[scale,opacity] duration-150 data-ending-style:scale-[0.98] data-ending-style:opacity-0 data-starting-style:scale-[0.98] data-starting-style:opacity-0',
            width === 'wide' ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <header className="flex items-start justify-between gap-4">
            <div className="grid min-w-0 gap-1 wrap-anywhere">
              <Base.Title className="text-base">{title}</Base.Title>
              {description != null && (
                <Base.Description className="text-ink-soft">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              render={<Button look="ghost" size="small" icon={<X aria-hidden="true" />} aria-label="Close" />}
            />
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

const FIELDS = 'textarea, input:not([type=checkbox], [type=radio], [type=hidden], [aria-hidden=true])';

function firstField(popup: HTMLElement | null): HTMLElement | null {
  return popup?.querySelector<HTMLElement>(FIELDS) ?? popup;
}
