import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { toasts } from '../../../ui/toast.tsx';
import { type Draft, useDraft } from './use-draft.ts';

export type Settings = Awaited<ReturnType<typeof call<'settings'>>>;
export type SettingsChange = Parameters<typeof call<'saveSettings'>>[1]['body'];

export function useSettings(): UseQueryResult<Settings> {
  return useQuery({ queryKey: queryKeys.settings, queryFn: ({ signal }) => call('settings', { signal }) });
}

/** A draft of some settings; only changed ones are sent. */
export function useSettingsDraft<D extends object>(
  saved: D,
  changeOf: (changed: Partial<D>) => SettingsChange,
): Draft<D> {
  const queryClient = useQueryClient();
  return useDraft({
    saved,
    send: ({ changed }) => call('saveSettings', { body: changeOf(changed) }),
    onSaved(settings) {
      queryClient.setQueryData(queryKeys.settings, settings);
      // Time zone, currency and attribution window change all figures.
      void queryClient.invalidateQueries({ queryKey: queryKeys.answers });
      toasts.add({ title: 'Saved' });
    },
  });
}

/** NaN becomes null in JSON, which the service refuses with a message for the field. */
export function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
