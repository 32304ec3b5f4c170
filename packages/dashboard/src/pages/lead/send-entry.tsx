import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCw, Send } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { attemptLabel, ResendDialog } from '../../shared/resend-dialog.tsx';
import { failureLabel, failureSentence } from '../../shared/send-result.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { SentValues } from '../../ui/sent-values.tsx';
import { Time } from '../../ui/time.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import { type LeadSend, markOthersStale } from './data.ts';
import { EntryFrame } from './entry.tsx';

const STATES: Readonly<Record<LeadSend['status'], { label: string; tone: Tone }>> = {
  pending: { label: 'Pending', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'positive' },
  failed: { label: 'Failed', tone: 'negative' },
};

export function SendEntry({ leadId, send, at }: { leadId: string; send: LeadSend; at: number }) {
  const isAdmin = useIsAdmin();
  const state = STATES[send.status];
  const failure = failureSentence(send.last_result, send.last_error);
  return (
    <EntryFrame
      icon={<Send aria-hidden="true" />}
      tone={state.tone}
      title={send.event === 'lead' ? 'Delivery' : 'Delivery of a stage change'}
      at={at}
      badges={<Badge tone={state.tone}>{state.label}</Badge>}
      actions={isAdmin && <ResendButton leadId={leadId} send={send} />}
    >
      <Facts facts={factsOf(send)} />
      {failure !== null && send.status !== 'delivered' && (
        <p className="rounded-lg bg-negative-soft px-3 py-2 break-words text-negative">{failure}</p>
      )}
      {send.attempt_log.length > 0 && <Attempts send={send} />}
      {send.callback !== null && send.callback !== undefined && (
        <Disclosure title="Reported by the automation">
          <div className="rounded-lg border border-line p-3 sm:p-3.5">
            <SentValues value={send.callback} />
          </div>
        </Disclosure>
      )}
    </EntryFrame>
  );
}

function factsOf(send: LeadSend): Fact[] {
  const facts: [string, Fact['value'] | null][] = [
    ['Attempts', send.attempts],
    ['Status code', send.last_status_code],
    ['Next attempt', send.next_attempt_at && <Time key="time" value={send.next_attempt_at} isAgo />],
    ['Delivered', send.delivered_at && <Time key="time" value={send.delivered_at} />],
    ['Execution', executionOf(send)],
    ['Execution status', send.flow_execution_status],
  ];
  return facts
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => ({ name, value }));
}

function executionOf({ flow_execution_url: url, flow_execution_id: id }: LeadSend) {
  if (url) return <WebLink address={url} text={id || url} />;
  return id;
}

function Attempts({ send }: { send: LeadSend }) {
  return (
    <Disclosure title="Attempts">
      <section
        aria-label="Attempts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable regions must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-line"
      >
        <table className="w-full text-left text-[0.8125rem]">
          <caption className="sr-only">Delivery attempts</caption>
          <thead>
            <tr className="border-b border-line text-xs text-ink-faint">
              {['Time', 'Status', 'Duration', 'Response'].map((title) => (
                <th key={title} scope="col" className="px-3 py-1.5 font-medium whitespace-nowrap">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {send.attempt_log.map((attempt) => (
              <tr key={`${attempt.attempt}-${attempt.at}`} className="border-b border-line last:border-b-0">
                <td className="px-3 py-1.5">
                  <Time value={attempt.at} />
                </td>
                <td className="px-3 py-1.5 tabular-nums">{attempt.status_code ?? '–'}</td>
                <td className="px-3 py-1.5 whitespace-nowrap tabular-nums">{attempt.duration_ms} ms</td>
                <td className="max-w-80 px-3 py-1.5 break-words">
                  {attempt.answer || failureLabel(attempt.result) || attempt.error}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Disclosure>
  );
}

/** Resending a delivered lead takes a confirmation. */
function ResendButton({ leadId, send }: { leadId: string; send: LeadSend }) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const resending = useMutation({
    mutationFn: () => call('resendFlowSend', { params: { flow_send_public_id: send.flow_send_public_id } }),
    async onSuccess() {
      toasts.add({ title: 'The lead is being sent', description: 'The outcome appears here.' });
      markOthersStale(queryClient);
      await queryClient.invalidateQueries({ queryKey: queryKeys.lead(leadId) });
    },
    onError: (error) => toastProblem('The lead was not sent', error),
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button
        size="small"
        icon={<RotateCw aria-hidden="true" />}
        isBusy={resending.isPending}
        onClick={() => (send.status === 'delivered' ? setAsking(true) : resending.mutate())}
      >
        {attemptLabel(send)}
      </Button>
      <ResendDialog
        lead="this lead"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => resending.mutate()}
        isBusy={resending.isPending}
      />
    </>
  );
}
