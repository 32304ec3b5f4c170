import { DAY_MS, dayStart, utcDay } from '../../lib/utc-time.ts';
import type { Settings } from './settings.ts';

export type RetentionSettings = Pick<
  Settings,
  | 'sessionRetentionDays'
  | 'leadRetentionDays'
  | 'leadRetentionStages'
  | 'setAsideRetentionDays'
  | 'flowSendBodyRetentionDays'
  | 'unmatchedEventRetentionDays'
  | 'archiveRetentionDays'
  | 'replayRetentionDays'
>;

/** Anything older is deleted. */
export type RetentionLimits = {
  /** The start of a day: sessions are deleted by whole days, as the statistics count them. */
  sessions: number;
  leads: number;
  leadStages: readonly string[];
  setAside: number;
  /** For set-aside leads that were deleted or accepted. */
  settledSetAside: number;
  flowSendBodies: number;
  unmatchedEvents: number;
  archives: number;
  replays: number;
};

/** Earlier than any row. */
const FOR_EVER = Number.MIN_SAFE_INTEGER;
/** Until then a deletion by mistake can be undone in the database. */
const SETTLED_DAYS_KEPT = 30;

export function retentionLimits(settings: RetentionSettings, at: number): RetentionLimits {
  // 0 means for ever too, so that an emptied field does not delete everything.
  const before = (days: number | null) => (days === null || days === 0 ? FOR_EVER : at - days * DAY_MS);
  const sessions = before(settings.sessionRetentionDays);
  return {
    sessions: sessions === FOR_EVER ? FOR_EVER : dayStart(utcDay(sessions)),
    leads: before(settings.leadRetentionDays),
    leadStages: settings.leadRetentionStages,
    setAside: before(settings.setAsideRetentionDays),
    settledSetAside: at - SETTLED_DAYS_KEPT * DAY_MS,
    flowSendBodies: before(settings.flowSendBodyRetentionDays),
    unmatchedEvents: before(settings.unmatchedEventRetentionDays),
    archives: before(settings.archiveRetentionDays),
    replays: before(settings.replayRetentionDays),
  };
}
