import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { Select } from '../../ui/select.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { toastProblem, toastWithUndo } from '../../ui/toast.tsx';
import { forgetOthers, leadQuery } from './data.ts';

const CHOICES = LEAD_STATUSES.map((value) => ({
  value,
  label: value === 'fake' ? 'Fake (spam)' : statusName(value),
}));

/** Moves the lead at once, and back should the service refuse. */
export function StageSelect({ id, status }: { id: string; status: LeadStatus }) {
  const queryClient = useQueryClient();
  const { queryKey } = leadQuery(id);
  const show = (stage: LeadStatus) =>
    queryClient.setQueryData(
      queryKey,
      (known) => known && { ...known, lead: { ...known.lead, status: stage } },
    );

  const { mutate } = useMutation({
    mutationFn: ({ to }: { from: LeadStatus; to: LeadStatus; isUndo?: boolean }) =>
      call('updateLead', { params: { id }, body: { status: to } }),
    // One after the other, so that the last choice is what stays.
    scope: { id: `stage-${id}` },
    async onMutate({ to }) {
      await queryClient.cancelQueries({ queryKey });
      show(to);
    },
    onError(error, { from }) {
      show(from);
      // Unless the one before has failed as well.
      void queryClient.invalidateQueries({ queryKey });
      toastProblem('The stage was not changed', error);
    },
    onSuccess(_, { from, to, isUndo = false }) {
      forgetOthers(queryClient);
      if (!isUndo)
        toastWithUndo(`Moved to ${statusName(to)}`, () => mutate({ from: to, to: from, isUndo: true }));
    },
  });

  return (
    <div className="w-40">
      <Select
        label="Stage"
        value={status}
        choices={CHOICES}
        onChange={(to) => to !== status && mutate({ from: status, to })}
        className="max-sm:h-11"
      />
    </div>
  );
}
