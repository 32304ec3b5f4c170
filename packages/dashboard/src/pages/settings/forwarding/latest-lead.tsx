import type { FlowSend } from '@leadtrail/contract/deliveries';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { personName } from '../../../shared/person-name.ts';
import { attemptLabel, ResendDialog } from '../../../shared/resend-dialog.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastProblem } from '../../../ui/toast.tsx';
import type { Settings } from '../parts/use-settings.ts';
import { Outcome } from './outcome.tsx';

const POLL_MS = 1000;
/** Newer deliveries may have come in since. */
const SENDS_MAX = 100;
/** Longer than the timeout of an attempt. */
const WAIT_MS_MAX = 30_000;

/** Resends the latest real lead and shows the outcome. */
export function LatestLead({ settings, hasUnsaved }: { settings: Settings; hasUnsaved: boolean }) {
  const queryClient = useQueryClient();
  const latest = useQuery({
    queryKey: queryKeys.latestDelivery,
    queryFn: async ({ signal }) =>
      (await call('flowSends', { query: { limit: SENDS_MAX }, signal })).flow_sends.find(
        ({ event }) => event === 'lead',
      ) ?? null,
  });
  const sending = useMutation({
    mutationFn: sendAgain,
    onError: (error) => toastProblem('The lead was not sent', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.deliveries }),
  });
  const [isAsking, setAsking] = useState(false);
  const hasAddress = settings.flow_webhook_url !== null;
  const send = latest.data;
  const attempt = sending.data?.attempt_log.at(-1);
  if (send === undefined) {
    return latest.isError ? (
      <ErrorState error={latest.error} onRetry={() => void latest.refetch()} />
    ) : (
      <div role="status" aria-label="Loading">
        <Skeleton className="h-9" />
      </div>
    );
  }
  if (send === null) {
    return (
      <p className="text-ink-soft">
        No lead has been forwarded yet. Turn forwarding on and submit one of your forms: within seconds the
        lead appears under{' '}
        <Link to="/deliveries" className="text-accent-text underline underline-offset-2">
          Deliveries
        </Link>
        .
      </p>
    );
  }
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-[1_1_16rem] text-ink-soft">
          The latest lead:{' '}
          <Link
            to="/leads/$leadId"
            params={{ leadId: String(send.lead_id) }}
            className="text-accent-text underline underline-offset-2"
          >
            {personName(send)}
          </Link>
          , <Time value={send.created_at} isAgo /> <SendState send={send} />
        </p>
        <Button
          icon={<Send aria-hidden="true" />}
          isBusy={sending.isPending}
          disabled={!hasAddress || !settings.flow_enabled || hasUnsaved}
          onClick={() => (send.status === 'delivered' ? setAsking(true) : sending.mutate(send))}
        >
          {attemptLabel(send)}
        </Button>
      </div>
      {hasAddress && !settings.flow_enabled && !hasUnsaved && (
        <p className="text-[0.8125rem] text-ink-faint">Turn forwarding on first.</p>
      )}
      <div aria-live="polite" className="empty:absolute">
        {attempt !== undefined && (
          <Outcome attempt={attempt}>
            {sending.data?.status === 'pending' && ' It will be retried automatically.'}
          </Outcome>
        )}
      </div>
      <ResendDialog
        lead={`the lead of ${personName(send)}`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          sending.mutate(send);
        }}
      />
    </div>
  );
}

function SendState({ send: { status } }: { send: FlowSend }) {
  if (status === 'delivered') return <Badge tone="positive">Delivered</Badge>;
  return status === 'failed' ? <Badge tone="negative">Failed</Badge> : <Badge tone="info">Pending</Badge>;
}

/** Resolves after the attempt, successful or not. */
async function sendAgain({ flow_send_public_id }: FlowSend): Promise<FlowSend> {
  const { attempts } = await call('resendFlowSend', { params: { flow_send_public_id } });
  const until = Date.now() + WAIT_MS_MAX;
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const { flow_sends } = await call('flowSends', { query: { limit: SENDS_MAX } });
    const send = flow_sends.find((each) => each.flow_send_public_id === flow_send_public_id);
    if (send !== undefined && send.attempts > attempts) return send;
  }
  throw new Error('No attempt has been made yet. Check Deliveries in a moment.');
}
