import { Link, RouterContextProvider, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { toasts } from '../ui/toast.tsx';

const SHOWN_MS = 8000;

/** A message with a link to the lead that it is about. */
export function useLeadToast(): (title: string, leadId: number) => void {
  const router = useRouter();
  return useCallback(
    (title, leadId) => {
      const id = toasts.add({
        title,
        timeout: SHOWN_MS,
        description: (
          // Toasts are rendered outside the router.
          <RouterContextProvider router={router}>
            <Link
              to="/leads/$leadId"
              params={{ leadId: String(leadId) }}
              onClick={() => toasts.close(id)}
              className="font-semibold text-accent-text underline underline-offset-2"
            >
              Show lead
            </Link>
          </RouterContextProvider>
        ),
      });
    },
    [router],
  );
}
