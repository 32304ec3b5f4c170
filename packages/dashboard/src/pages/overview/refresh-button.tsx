import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiProblem, call } from '../../api/client.ts';
import { useIsAdmin } from '../../api/role.ts';
import { timeOf } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';

/** Kept outside the component, so that the countdown survives leaving the page. */
let nextAt = 0;

/** Drops all cached responses of the service, which it allows once per cooldown. */
export function RefreshButton() {
  const isAdmin = useIsAdmin();
  const client = useQueryClient();
  const [waitS, waitUntil] = useCountdown();
  const refresh = useMutation({
    mutationFn: () => call('refreshAnalytics'),
    onSuccess({ next_refresh_at }) {
      waitUntil(timeOf(next_refresh_at).getTime());
      toasts.add({ title: 'Figures refreshed' });
      return client.invalidateQueries();
    },
    onError(error) {
      const isTooEarly = error instanceof ApiProblem && error.status === 429;
      if (!isTooEarly || error.retryAfterS === undefined)
        return toastProblem('Figures were not refreshed', error);
      waitUntil(Date.now() + error.retryAfterS * 1000);
      toasts.add({
        title: 'Already refreshed a moment ago',
        description: `You can refresh again in ${inWords(error.retryAfterS)}. New visits and leads appear by themselves.`,
      });
    },
  });
  if (!isAdmin) return null;
  return (
    <Button
      icon={<RefreshCw aria-hidden="true" />}
      isBusy={refresh.isPending}
      disabled={waitS > 0}
      onClick={() => refresh.mutate()}
    >
      {waitS > 0 ? `Refresh again in ${inWords(waitS)}` : 'Refresh'}
    </Button>
  );
}

function useCountdown(): [number, (until: number) => void] {
  const [now, setNow] = useState(Date.now);
  const waitS = Math.max(0, Math.ceil((nextAt - now) / 1000));
  const isWaiting = waitS > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return [
    waitS,
    (until) => {
      nextAt = until;
      setNow(Date.now());
    },
  ];
}

function inWords(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
