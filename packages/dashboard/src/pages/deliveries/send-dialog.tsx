import type { FlowSend } from '@leadtrail/contract/deliveries';
import { formatDuration, formatNumber } from '../../format.ts';
import { personName } from '../../shared/person-name.ts';
import { failureSentence } from '../../shared/send-result.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { SentValues } from '../../ui/sent-values.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ListTime, Time } from '../../ui/time.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import { Answer, Execution, LeadLink, ResendButton, State } from './columns.tsx';

type Attempt = FlowSend['attempt_log'][number];

export function SendDialog({
  id,
  send,
  onClose,
  onResend,
  busyId,
}: {
  /** The opened delivery. */
  id: string | undefined;
  /** Undefined once it has left the filtered list. */
  send: FlowSend | undefined;
  onClose: () => void;
  onResend: ((send: FlowSend) => void) | undefined;
  busyId: string | undefined;
}) {
  const current = useLastGiven(send);
  return (
    <Dialog
      isOpen={id !== undefined && id === current?.flow_send_public_id}
      onClose={onClose}
      width="wide"
      title={current === null ? '' : `Delivery of ${personName(current)}`}
    >
      {current !== null && (
        <>
          <Facts facts={knownOf(current)} layout="rows" />
          <section className="grid min-w-0 gap-2">
            <h3 className="text-sm">Attempts</h3>
            <Attempts attempts={current.attempt_log} />
          </section>
          {current.callback != null && (
            <Disclosure title="Callback data">
              <SentValues value={current.callback} />
            </Disclosure>
          )}
          {onResend !== undefined && (
            <footer className="flex justify-end">
              <ResendButton
                send={current}
                onResend={onResend}
                isBusy={busyId === current.flow_send_public_id}
              />
            </footer>
          )}
        </>
      )}
    </Dialog>
  );
}

function knownOf(send: FlowSend): Fact[] {
  return [
    { name: 'Lead', value: <LeadLink send={send} /> },
    { name: 'About', value: send.event === 'lead' ? null : 'The stage was changed' },
    { name: 'State', value: <State send={send} /> },
    { name: 'Created', value: <Time value={send.created_at} /> },
    { name: 'Delivered', value: send.delivered_at && <Time value={send.delivered_at} /> },
    { name: 'Next attempt', value: send.next_attempt_at && <Time value={send.next_attempt_at} /> },
    { name: 'Last error', value: failureSentence(send.last_result, send.last_error) },
    { name: 'Execution', value: <Execution send={send} /> },
    {
      name: 'ID',
      value: <span className="font-mono text-[0.8125rem] break-all">{send.flow_send_public_id}</span>,
    },
  ].filter(({ value }) => value !== null);
}

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  {
    key: 'attempt',
    title: 'No.',
    cell: ({ attempt }) => formatNumber(attempt),
    isNumber: true,
    className: 'w-px',
  },
  { key: 'at', title: 'Time', cell: ({ at }) => <ListTime value={at} /> },
  {
    key: 'answer',
    title: 'Response',
    cell: ({ status_code, result, error, answer }) => (
      <div className="grid justify-items-start gap-0.5">
        <Answer status={status_code} result={result} error={error} />
        {answer !== '' && (
          <span className="line-clamp-3 font-mono text-xs break-all text-ink-faint">{answer}</span>
        )}
      </div>
    ),
  },
  {
    key: 'duration',
    title: 'Duration',
    cell: ({ duration_ms }) =>
      duration_ms < 1000 ? `${formatNumber(duration_ms)} ms` : formatDuration(duration_ms),
    isNumber: true,
    isFrom: 'sm',
    className: 'whitespace-nowrap',
  },
];

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="text-ink-faint">No attempts yet.</p>;
  return (
    <div className="rounded-lg border border-line">
      <Table
        caption="Attempts, latest first"
        columns={ATTEMPT_COLUMNS}
        rows={attempts.toReversed()}
        rowKey={({ attempt, at }) => `${attempt} ${at}`}
      />
    </div>
  );
}
