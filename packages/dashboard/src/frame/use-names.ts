import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useViewer } from '../api/role.ts';
import { isShared } from '../api/shared-link.ts';

const STALE_MS = 5 * 60_000;

/** What people call sites and the values that forms send. What has no other name is called by its key or value. */
export function useNames() {
  const { data: viewer } = useViewer();
  const { data } = useQuery({
    queryKey: queryKeys.names,
    queryFn: ({ signal }) => call('names', { signal }),
    // A shared link has the names of its sites in it, and no labels: projects may be those of other clients.
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

/** Values are compared as lists compare them: without regard to case. */
function labelKey(kind: OptionKind, value: string): string {
  return `${kind} ${value.trim().toLowerCase()}`;
}
