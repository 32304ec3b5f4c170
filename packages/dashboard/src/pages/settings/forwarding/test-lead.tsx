import { useMutation } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { toastProblem } from '../../../ui/toast.tsx';
import type { Settings } from '../parts/use-settings.ts';
import { Outcome } from './outcome.tsx';

/** Sends a made-up lead and shows the outcome. */
export function TestLead({ settings, hasUnsaved }: { settings: Settings; hasUnsaved: boolean }) {
  const sending = useMutation({
    mutationFn: () => call('sendTestLead'),
    onError: (error) => toastProblem('The test lead was not sent', error),
  });
  const hasAddress = settings.flow_webhook_url !== null;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-[1_1_16rem] text-ink-soft">
          A made-up lead with every field, signed like a real one and marked{' '}
          <code className="font-mono text-[0.8125rem]">test_lead: yes</code>. It is not stored.
        </p>
        <Button
          icon={<FlaskConical aria-hidden="true" />}
          isBusy={sending.isPending}
          disabled={!hasAddress || hasUnsaved}
          onClick={() => sending.mutate()}
        >
          Send test lead
        </Button>
      </div>
      {hasUnsaved ? (
        <p className="text-[0.8125rem] text-ink-faint">
          Save your changes first, so that the test lead uses them.
        </p>
      ) : !hasAddress ? (
        <p className="text-[0.8125rem] text-ink-faint">Enter an address first.</p>
      ) : !settings.flow_enabled ? (
        <p className="text-[0.8125rem] text-ink-faint">Forwarding is off: only the test lead is sent.</p>
      ) : null}
      <div aria-live="polite" className="empty:absolute">
        {sending.data !== undefined && (
          <Outcome attempt={sending.data}>
            {sending.data.error !== null && ' Test leads are not retried.'}
          </Outcome>
        )}
      </div>
    </div>
  );
}
