import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

const manager = Toast.createToastManager();

type Added = Parameters<typeof manager.add>[0];

/** Toasts, from anywhere: `toasts.add({ title, description })`. A toast replaces an earlier one with the same text. */
export const toasts = {
  ...manager,
  add(added: Added): string {
    const id = textIdOf(added);
    return manager.add(id === undefined ? added : { ...added, id });
  },
};

/** Undefined for toasts with an action: each has its own Undo or link, even if the text is the same. */
function textIdOf({ title, description = '', actionProps }: Added): string | undefined {
  const isText = typeof title === 'string' && typeof description === 'string';
  return isText && actionProps === undefined ? `${title}\n${description}` : undefined;
}

const UNDO_MS = 6000;

/** Returns a function that closes it, for when the change is undone elsewhere. */
export function toastWithUndo(title: string, onUndo: () => void): () => void {
  const id = toasts.add({
    title,
    timeout: UNDO_MS,
    actionProps: {
      children: 'Undo',
      onClick() {
        onUndo();
        toasts.close(id);
      },
    },
  });
  return () => toasts.close(id);
}

export function toastProblem(title: string, error: unknown): void {
  toasts.add({
    title,
    description: error instanceof Error ? error.message : String(error),
    type: 'error',
    priority: 'high',
  });
}

export function ToastArea({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-60 grid w-[calc(100vw-2rem)] gap-2 sm:w-88 print:hidden">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 rounded-xl border border-line bg-raised p-3.5 shadow-raised transition-[opacity,transform] duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0 data-[type=error]:border-negative/50"
    >
      <Toast.Content className="grid gap-0.5 wrap-anywhere">
        <Toast.Title className="text-sm font-medium" />
        <Toast.Description className="text-[0.8125rem] text-ink-soft" />
        <Toast.Action className="mt-1.5 justify-self-start rounded-md text-[0.8125rem] font-semibold text-accent-text underline-offset-2 hover:underline" />
      </Toast.Content>
      <Toast.Close
        aria-label="Dismiss"
        className="rounded-md p-1 text-ink-faint hover:bg-sunken hover:text-ink"
      >
        <X aria-hidden="true" className="size-4" />
      </Toast.Close>
    </Toast.Root>
  ));
}
