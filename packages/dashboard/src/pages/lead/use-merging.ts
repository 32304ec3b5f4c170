import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { moveNoteDraft } from '../../shared/note-drafts.ts';
import { toastProblem, toasts, toastWithUndo } from '../../ui/toast.tsx';
import type { Lead } from './data.ts';

/** The other lead of a merge. */
export type OtherLead = { lead_id: number; contact_name: string };

export function otherName({ lead_id, contact_name }: OtherLead): string {
  return contact_name.trim() || `Lead ${lead_id}`;
}

export function useMerging(lead: Lead) {
  const queryClient = useQueryClient();
  const unmerging = useUnmerging(lead);
  return useMutation({
    mutationFn: ({ lead_id }: OtherLead) =>
      call('mergeLeads', { params: { id: lead.lead_id }, body: { lead_id } }),
    async onSuccess(_, other) {
      // The other lead's address now shows this one.
      moveNoteDraft(other.lead_id, lead.lead_id);
      await showAfresh(queryClient);
      toastWithUndo(`${otherName(other)} was merged into this lead`, () => unmerging.mutate(other));
    },
    onError: (error) => toastProblem('The leads were not merged', error),
  });
}

export function useUnmerging(lead: Lead) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ lead_id }: OtherLead) =>
      call('unmergeLead', { params: { id: lead.lead_id }, body: { lead_id } }),
    async onSuccess(_, other) {
      await showAfresh(queryClient);
      toasts.add({ title: `${otherName(other)} is a separate lead again` });
    },
    onError: (error) => toastProblem('The merge was not undone', error),
  });
}

/** Every list and figure counts leads, and both addresses of the other lead now show something else. */
async function showAfresh(queryClient: QueryClient): Promise<void> {
  queryClient.removeQueries({ queryKey: queryKeys.anyLead, type: 'inactive' });
  await queryClient.invalidateQueries();
}
