import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/client.ts';
import { currentKey, onKeyChange } from './api/key.ts';
import { router } from './router.tsx';
import { SignIn } from './sign-in.tsx';
import './styles.css';
import { applyTheme } from './theme.ts';
import { ToastArea } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

const RETRIES_MAX = 2;
/** Answers are never stale on the service's side; this spares asking twice for what was just shown. */
const FRESH_MS = 10_000;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // What the service has refused it will refuse again.
      retry: (failures, error) =>
        failures < RETRIES_MAX && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
    },
  },
});

// Whoever signs in next must not see what the one before has loaded.
onKeyChange(() => queryClient.clear());

applyTheme();
const place = document.getElementById('app');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <TooltipProvider>
            <ToastArea>
              <Dashboard />
            </ToastArea>
          </TooltipProvider>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

function Dashboard() {
  const key = useSyncExternalStore(onKeyChange, currentKey);
  return key === null ? <SignIn /> : <RouterProvider router={router} />;
}
