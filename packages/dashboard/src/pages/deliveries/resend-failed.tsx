import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted, formatNumber } from '../../format.ts';
import type { FrameScope } from '../../frame/use-frame-scope.ts';
import { defined } from '../../shared/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';

/** Resends the failed deliveries of the sites and the period that the page shows; hidden if there are none. */
export function ResendFailed({ scope, pollMs }: { scope: FrameScope; pollMs: number | false }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { data: failed = 0 } = useQuery({
    queryKey: queryKeys.failedDeliveries(scope),
    queryFn: async ({ signal }) =>
      (await call('flowSends', { query: { status: 'failed', ...scope, limit: 1 }, signal })).total,
    refetchInterval: pollMs,
  });
  const resending = useMutation({
    mutationFn: () => call('resendFailed', { body: meant(scope) }),
    onSuccess: ({ resent }) =>
      void toasts.add({
        title: `${deliveries(resent)} ${resent === 1 ? 'is' : 'are'} being resent`,
        ...(resent < failed && { description: REMOVED }),
      }),
    onError: (error) => toastProblem('Nothing was resent', error),
    async onSettled() {
      setAsking(false);
      // Leads show their deliveries, too.
      await queries.invalidateQueries();
    },
  });
  const isNarrowed = Object.keys(scope).length > 0;
  return (
    <>
      {failed > 0 && (
        <Button
          icon={<RotateCw aria-hidden="true" />}
          isBusy={resending.isPending}
          onClick={() => setAsking(true)}
        >
          Resend all failed ({formatNumber(failed)})
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => resending.mutate()}
        title={`Resend ${counted(failed, 'failed delivery', 'failed deliveries')}?`}
        action="Resend all"
        look="primary"
        isBusy={resending.isPending}
      >
        {isNarrowed && <p>Failed deliveries of other sites and periods are not resent.</p>}
        <p>Each is sent at once with its own ID and details, and retried until it is accepted.</p>
        <p>If the platform is still not working, they fail again.</p>
      </ConfirmDialog>
    </>
  );
}

const REMOVED = 'Deliveries whose contents were removed by retention cannot be resent.';

function meant({ site, from, to }: FrameScope) {
  return defined({ sites: site?.split(','), since: from, until: to });
}

function deliveries(count: number): string {
  return counted(count, 'delivery', 'deliveries');
}
