import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { isWorthRetrying } from './api/client.ts';
import { currentKey, onKeyChange } from './api/key.ts';
import { keepFocus } from './keep-focus.ts';
import { router } from './router.tsx';
import { SignIn } from './sign-in.tsx';
import './styles.css';
import { applyTheme } from './theme.ts';
import { ToastArea, toasts } from './ui/toast.tsx';

/** Answers are never stale on the service's side; this spares asking twice for what was just shown. */
const FRESH_MS = 10_000;
const ASK_AGAIN_MS = 15_000;

const queryClient = new QueryClient({
  defaultOptions: {
    // The service may be near even where the internet is not, and what cannot be done now must not be done later.
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always',
      retry: isWorthRetrying,
      // What could not be loaded comes by itself when the service is back.
      refetchInterval: ({ state: { error } }) =>
        error !== null && isWorthRetrying(0, error) ? ASK_AGAIN_MS : false,
    },
    mutations: { networkMode: 'always' },
  },
});

// Whoever signs in next must not see what the one before has loaded, nor what they were told.
onKeyChange(() => {
  queryClient.clear();
  toasts.close();
});

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
  return key === null ? <SignIn /> : <RouterProvider router={router} />;
}
