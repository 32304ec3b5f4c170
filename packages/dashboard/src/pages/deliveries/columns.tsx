import type { FlowSend, SendResult } from '@leadtrail/contract/deliveries';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX, Clock3, RotateCw } from 'lucide-react';
import { timeOf } from '../../format.ts';
import { optionLabel } from '../../frame/option-label.tsx';
import { personName } from '../../shared/person-name.ts';
import { attemptLabel } from '../../shared/resend-dialog.tsx';
import { failureLabel } from '../../shared/send-result.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time, useRelativeTime } from '../../ui/time.tsx';
import { WebLink } from '../../ui/web-link.tsx';

export function sendColumns({
  onOpen,
  onResend,
  busyId,
}: {
  onOpen: (id: string) => void;
  onResend: ((send: FlowSend) => void) | undefined;
  busyId: string | undefined;
}): Column<FlowSend>[] {
  return [
    { key: 'lead', title: 'Lead', cell: (send) => <Lead send={send} />, className: 'min-w-28 sm:max-w-64' },
    { key: 'status', title: 'State', cell: (send) => <State send={send} /> },
    { key: 'attempts', title: 'Attempts', cell: (send) => send.attempts, isNumber: true, isFrom: 'lg' },
    {
      key: 'answer',
      title: 'Last response',
      cell: (send) => <LastAnswer send={send} />,
      isFrom: 'md',
      className: 'max-w-64',
    },
    { key: 'execution', title: 'Execution', cell: (send) => <Execution send={send} />, isFrom: 'lg' },
    { key: 'created', title: 'Created', cell: (send) => <Time value={send.created_at} />, isFrom: 'lg' },
    {
      key: 'actions',
      title: <span className="sr-only">Actions</span>,
      cell: (send) => (
        <div className="flex justify-end gap-1">
          <Button
            look="ghost"
            size="small"
            aria-haspopup="dialog"
            aria-label={`Details of the delivery of ${personName(send)}`}
            onClick={() => onOpen(send.flow_send_public_id)}
          >
            Details
          </Button>
          {onResend !== undefined && (
            // On a phone it is in the details.
            <span className="hidden sm:block">
              <ResendButton send={send} onResend={onResend} isBusy={busyId === send.flow_send_public_id} />
            </span>
          )}
        </div>
      ),
      className: 'w-px',
    },
  ];
}

export function LeadLink({ send }: { send: FlowSend }) {
  return (
    <Link
      to="/leads/$leadId"
      params={{ leadId: String(send.lead_id) }}
      className="font-medium wrap-anywhere underline-offset-2 hover:underline"
    >
      {personName(send)}
    </Link>
  );
}

/** Includes the columns that a phone hides. */
function Lead({ send }: { send: FlowSend }) {
  return (
    <div className="grid justify-items-start">
      <LeadLink send={send} />
      <bdi className="text-[0.8125rem] wrap-anywhere text-ink-faint">
        {optionLabel('project', send.project_name)}
      </bdi>
      {send.event === 'lead.stage_changed' && <Badge>Stage change</Badge>}
      <span className="text-[0.8125rem] text-ink-faint @4xl:hidden">
        <Time value={send.created_at} isAgo />
      </span>
    </div>
  );
}

const STATES = {
  pending: { label: 'Pending', tone: 'info', icon: Clock3 },
  delivered: { label: 'Delivered', tone: 'positive', icon: CircleCheck },
  failed: { label: 'Failed', tone: 'negative', icon: CircleX },
} as const;

/** With the next attempt, or when it ended. */
export function State({ send }: { send: FlowSend }) {
  const { label, tone, icon: Icon } = STATES[send.status];
  return (
    <div className="grid justify-items-start gap-0.5">
      <Badge tone={tone}>
        <Icon aria-hidden="true" />
        {label}
      </Badge>
      <span className="text-[0.8125rem] text-ink-faint sm:whitespace-nowrap">
        <Next send={send} />
      </span>
    </div>
  );
}

function Next({ send: { status, attempts, next_attempt_at, delivered_at } }: { send: FlowSend }) {
  useRelativeTime();
  if (status === 'delivered') return delivered_at === null ? null : <Time value={delivered_at} isAgo />;
  if (status === 'failed') return attempts === 1 ? 'after 1 attempt' : `after ${attempts} attempts`;
  if (next_attempt_at === null || timeOf(next_attempt_at).getTime() <= Date.now()) return 'being sent';
  return (
    <>
      {attempts === 0 ? 'first attempt' : 'next attempt'} <Time value={next_attempt_at} isAgo />
    </>
  );
}

function LastAnswer({ send: { last_status_code, last_result, last_error } }: { send: FlowSend }) {
  if (last_status_code === null && last_error === null)
    return <span className="text-ink-faint">None yet</span>;
  return <Answer status={last_status_code} result={last_result} error={last_error} />;
}

/** A label for the result; attempts of earlier versions have only a status and a sentence. */
export function Answer({
  status,
  result,
  error,
}: {
  status: number | null;
  result: SendResult | null;
  error: string | null;
}) {
  const failure = failureLabel(result);
  if (failure !== undefined) return <Badge tone="negative">{failure}</Badge>;
  return (
    <div className="grid justify-items-start gap-0.5">
      {status !== null && (
        <Badge tone={status >= 200 && status < 300 ? 'positive' : 'negative'}>Answered {status}</Badge>
      )}
      {error !== null && (
        <span className="line-clamp-2 text-[0.8125rem] break-words text-ink-soft">{error}</span>
      )}
    </div>
  );
}

/** By what automation platforms call the end of a run. */
const EXECUTION_TONES: ReadonlyMap<string, 'positive' | 'negative'> = new Map([
  ['success', 'positive'],
  ['error', 'negative'],
  ['failed', 'negative'],
  ['crashed', 'negative'],
]);

/** The automation run, as reported by the flow callback. */
export function Execution({ send }: { send: FlowSend }) {
  const { flow_execution_url: url, flow_execution_id: id, flow_execution_status: status } = send;
  if (url === null && id === null && status === null) return <span className="text-ink-faint">–</span>;
  return (
    <div className="grid justify-items-start gap-0.5">
      {status !== null && (
        <Badge tone={EXECUTION_TONES.get(status.toLowerCase()) ?? 'neutral'}>{status}</Badge>
      )}
      {url !== null && <WebLink address={url} text="Open execution" />}
      {url === null && id !== null && <span className="font-mono text-[0.8125rem] break-all">{id}</span>}
    </div>
  );
}

export function ResendButton({
  send,
  onResend,
  isBusy,
}: {
  send: FlowSend;
  onResend: (send: FlowSend) => void;
  isBusy: boolean;
}) {
  return (
    <Button
      size="small"
      icon={<RotateCw aria-hidden="true" />}
      isBusy={isBusy}
      aria-label={`${attemptLabel(send)} the lead of ${personName(send)}`}
      onClick={() => onResend(send)}
    >
      {attemptLabel(send)}
    </Button>
  );
}
