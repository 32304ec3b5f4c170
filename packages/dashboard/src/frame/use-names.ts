import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useViewer } from '../api/role.ts';
import { isShared } from '../api/shared-link.ts';

const STALE_MS = 5 * 60_000;

/** Display names of sites and of values that forms send, with the key or value as a fallback. */
export function useNames() {
  const { data: viewer } = useViewer();
  const { data } = useQuery({
    queryKey: queryKeys.names,
    queryFn: ({ signal }) => call('names', { signal }),
    // A shared link knows the names of its own sites only, and no labels: projects may be those of other clients.
    enabled: !isShared,
    staleTime: STALE_MS,
  });
  return useMemo(() => {
    const sites = viewer?.shared?.sites ?? data?.sites ?? [];
    const labels = new Map(data?.labels.map(({ kind, value, label }) => [labelKey(kind, value), label]));
    return {
      siteNames: new Map(sites.map(({ site_key, name }) => [site_key, name])),
      labelOf: (kind: OptionKind, value: string) => labels.get(labelKey(kind, value)) ?? value,
    };
  }, [viewer, data]);
}

/** Case-insensitive, as in the lists. */
function labelKey(kind: OptionKind, value: string): string {
  return `${kind} ${value.trim().toLowerCase()}`;
}
