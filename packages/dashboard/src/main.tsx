import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { CatchBoundary, RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { isWorthRetrying } from './api/client.ts';
import { currentKey, onKeyChange } from './api/key.ts';
import { isShared } from './api/shared-link.ts';
import { lazyPart } from './code.ts';
import { keepFocus } from './keep-focus.ts';
import { createMainRouter } from './router.tsx';
import { PageFailed } from './shell/page-failed.tsx';
import './styles.css';
import { applyTheme } from './theme.ts';
import { ToastArea, toasts } from './ui/toast.tsx';

/** Deduplicates requests when several parts of a page need the same data. */
const FRESH_MS = 10_000;
const RECOVERY_POLL_MS = 15_000;

const queryClient = new QueryClient({
  defaultOptions: {
    // The service may be on the local network while the browser is offline; failed mutations must not be queued.
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always',
      retry: isWorthRetrying,
      // Recovers when the service is back.
      refetchInterval: ({ state: { error } }) =>
        error !== null && isWorthRetrying(0, error) ? RECOVERY_POLL_MS : false,
    },
    mutations: { networkMode: 'always' },
  },
});

// The next viewer must not see cached data or toasts of the previous one.
onKeyChange(() => {
  queryClient.clear();
  toasts.close();
});

const SignIn = lazyPart(async () => (await import('./sign-in.tsx')).SignIn);
const SharedDashboard = lazyPart(
  async () => (await import('./shared-view/shared-dashboard.tsx')).SharedDashboard,
);
/** Shared links have their own router. */
const router = isShared ? null : createMainRouter();

applyTheme();
keepFocus();
const place = document.getElementById('app');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <ToastArea>
            <Dashboard />
          </ToastArea>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

function Dashboard() {
  const key = useSyncExternalStore(onKeyChange, currentKey);
  if (router !== null && key !== null) return <RouterProvider router={router} />;
  return (
    <CatchBoundary getResetKey={() => 0} errorComponent={PageFailed}>
      <Suspense>{isShared ? <SharedDashboard isValid={key !== null} /> : <SignIn />}</Suspense>
    </CatchBoundary>
  );
}
