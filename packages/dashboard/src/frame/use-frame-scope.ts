import { momentsOf } from './days.ts';
import type { Frame } from './frame.ts';
import { useShownDays } from './use-shown-days.ts';

export type FrameScope = { site?: string; from?: string; to?: string };

/** What lists are asked for by the frame. Undefined until the time zone is known in which its days begin. */
export function useFrameScope({ when, sites }: Frame): FrameScope | undefined {
  const shown = useShownDays(when);
  if (shown === undefined && when !== 'all') return undefined;
  return {
    ...(sites.length === 0 ? {} : { site: sites.join(',') }),
    ...(shown?.days === undefined ? {} : momentsOf(shown.days, shown.timeZone)),
  };
}
