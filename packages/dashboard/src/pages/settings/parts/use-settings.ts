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

/** Some of the settings, as they are typed. Only what was changed is sent. */
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
      toasts.add({ title: 'Saved' });
    },
  });
}

/** What is no number becomes nothing, which the service refuses in its own words. */
export function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
