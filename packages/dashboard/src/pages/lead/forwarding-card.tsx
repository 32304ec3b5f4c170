import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ApiProblem, call } from '../../api/client.ts';
import { useIsAdmin } from '../../api/role.ts';
import { settingsPlace } from '../../shared/settings-place.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { toasts } from '../../ui/toast.tsx';
import type { Lead, LeadDetail, LeadSend } from './data.ts';

type State = 'never' | LeadSend['status'];

/** Whether the automation platform has the lead, and a way to send it by hand. */
export function ForwardingCard({ detail }: { detail: LeadDetail }) {
  const { lead, flow_sends: sends } = detail;
  const isAdmin = useIsAdmin();
  const state = stateOf(sends);
  return (
    <Card title="Automation platform">
      <div className="grid justify-items-start gap-3">
        <p className="text-ink-soft">
          {sentenceOf(state, detail)}
          {isAdmin && lead.is_bot_lead === 1 && state !== 'pending' && ' Sending it marks it as real.'}
        </p>
        {isAdmin && <ForwardButton lead={lead} state={state} />}
      </div>
    </Card>
  );
}

/** Over all deliveries: pending takes precedence over delivered, delivered over failed. */
function stateOf(sends: readonly LeadSend[]): State {
  const states = (['pending', 'delivered', 'failed'] as const).filter((state) =>
    sends.some(({ status }) => status === state),
  );
  return states[0] ?? 'never';
}

function sentenceOf(state: State, { lead, flow_sends: sends }: LeadDetail): ReactNode {
  switch (state) {
    case 'pending':
      return 'A delivery is on its way.';
    case 'delivered': {
      const at = sends.find(({ delivered_at }) => delivered_at !== null)?.delivered_at;
      return <>Delivered {at != null && <Time value={at} isAgo />}.</>;
    }
    case 'failed':
      return 'It could not be delivered.';
    case 'never':
      return lead.delivery_state === 'held_back'
        ? `Not sent. ${lead.delivery_note}`
        : 'It has not been sent.';
  }
}

function ForwardButton({ lead, state }: { lead: Lead; state: State }) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const forwarding = useMutation({
    mutationFn: (now: State) =>
      call('forwardLead', { params: { id: lead.lead_id }, body: { again: now === 'delivered' } }),
    onSuccess: () =>
      void toasts.add({ title: 'The lead is being sent', description: 'The outcome appears here.' }),
    async onSettled() {
      setAsking(false);
      await queryClient.invalidateQueries();
    },
  });
  // Another viewer may have sent it meanwhile; then the state says more than the refusal.
  const problem = forwarding.variables === state ? forwarding.error : null;
  return (
    <>
      {state !== 'pending' && (
        <Button
          size="small"
          className="max-w-full"
          icon={<Send aria-hidden="true" />}
          isBusy={forwarding.isPending}
          onClick={() => (state === 'delivered' ? setAsking(true) : forwarding.mutate(state))}
        >
          {state === 'delivered' ? 'Send again with current details' : 'Send to the automation platform'}
        </Button>
      )}
      {problem !== null && <Problem error={problem} />}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => forwarding.mutate(state)}
        isBusy={forwarding.isPending}
        title="Send this lead again?"
        action="Send again"
      >
        <p>
          It was already delivered. Your automation receives it once more, with its current details and a new
          delivery ID.
        </p>
      </ConfirmDialog>
    </>
  );
}

function Problem({ error }: { error: Error }) {
  const isConflict = error instanceof ApiProblem && error.status === 409;
  return (
    <div
      role="alert"
      className="grid w-full justify-items-start gap-1 rounded-lg bg-negative-soft p-3 text-negative"
    >
      <p>{isConflict ? 'The lead was not sent, because forwarding is off.' : error.message}</p>
      {isConflict && (
        <Link
          {...settingsPlace('forwarding')}
          className="font-medium underline underline-offset-2 max-sm:py-2"
        >
          Turn forwarding on
        </Link>
      )}
    </div>
  );
}
