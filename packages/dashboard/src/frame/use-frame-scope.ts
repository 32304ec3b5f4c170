import { momentsOf } from './days.ts';
import type { Frame } from './frame.ts';
import { useShownDays } from './use-shown-days.ts';

export type FrameScope = { site?: string; from?: string; to?: string };

/** The frame as query parameters of a list. Undefined until the time zone, and so the start of its days, is known. */
export function useFrameScope({ when, sites }: Frame): FrameScope | undefined {
  const shown = useShownDays(when);
  if (shown === undefined && when !== 'all') return undefined;
  return {
    ...(sites.length === 0 ? {} : { site: sites.join(',') }),
    ...(shown?.days === undefined ? {} : momentsOf(shown.days, shown.timeZone)),
  };
}
