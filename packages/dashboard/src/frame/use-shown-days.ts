import { type Days, daysOf, todayIn } from './days.ts';
import { useWorkspace } from './use-workspace.ts';
import type { When } from './when.ts';

/** The days of a period in the workspace's time zone (none for all time); undefined until the zone is known. */
export function useShownDays(when: When): { days: Days | undefined; timeZone: string } | undefined {
  const { timeZone } = useWorkspace();
  return timeZone === undefined ? undefined : { days: daysOf(when, todayIn(timeZone)), timeZone };
}
