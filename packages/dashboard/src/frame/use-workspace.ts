import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { knownTimeZone, noteTimeZone } from '../time-zone.ts';
import { answerOptions } from './use-frame.ts';
import { useNames } from './use-names.ts';

/** Sites, time zone and currency, for every role: only admins may read the settings. */

const SITES_MAX = 1000;
const STALE_MS = 5 * 60_000;

/** All-time visits and leads by site. */
export const workspaceOptions = {
  ...answerOptions({ metrics: ['visits', 'leads'], dimensions: ['site'], period: 'all', limit: SITES_MAX }),
  staleTime: STALE_MS,
};

export type Workspace = {
  timeZone: string | undefined;
  currency: string | undefined;
  sites: readonly { key: string; name: string }[];
  /** The sites are not known yet. */
  isLoading: boolean;
};

export function useWorkspace(): Workspace {
  const { data, isError, isPending } = useQuery(workspaceOptions);
  const { siteNames } = useNames();
  const keys = (data?.rows ?? []).flatMap(({ dimensions: [key = ''] }) => (key.startsWith('(') ? [] : [key]));
  return {
    // Lists work without the figures, in the last known time zone.
    timeZone: data?.meta.timezone ?? (isError ? knownTimeZone() : undefined),
    currency: data?.meta.currency,
    isLoading: isPending,
    sites: [...new Set([...keys, ...siteNames.keys()])]
      .map((key) => ({ key, name: siteNames.get(key) ?? key }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
  };
}

/** Shows all times in the workspace's time zone. */
export function useWorkspaceTimes(): void {
  const { timeZone } = useWorkspace();
  useEffect(() => {
    if (timeZone !== undefined) noteTimeZone(timeZone);
  }, [timeZone]);
}
