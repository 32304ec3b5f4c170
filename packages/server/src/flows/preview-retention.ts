import type { RetentionClass, RetentionPreview } from '@leadtrail/contract/retention';
import type { SettingsChange } from '@leadtrail/contract/settings';
import { retentionLimits } from '../domain/setup/retention.ts';
import { dateTime } from '../lib/utc-time.ts';
import type { RetentionPreview as OldRows } from '../store/retention/preview.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';

/** In the order in which the dashboard shows them. */
const CLASSES = [
  ['sessions', 'session_retention_days', 'sessions'],
  ['leads', 'lead_retention_days', 'leads'],
  ['set_aside_leads', 'set_aside_retention_days', 'setAside'],
  ['flow_send_bodies', 'flow_send_body_retention_days', 'flowSendBodies'],
  ['unmatched_events', 'unmatched_event_retention_days', 'unmatchedEvents'],
  ['archives', 'archive_retention_days', 'archives'],
  ['replays', 'replay_retention_days', 'replays'],
] as const satisfies readonly (readonly [RetentionClass, keyof SettingsChange, keyof OldRows])[];

type Days = Partial<Record<(typeof CLASSES)[number][1], number | null | undefined>>;
/** Settings that have not been saved yet. */
export type UnsavedRetention = Days & Pick<SettingsChange, 'lead_retention_stages'>;
export type PreviewRetention = (unsaved: UnsavedRetention) => Promise<RetentionPreview>;

const JOB = 'retention';

/** Tells what the next run of retention would remove. */
export function makePreviewRetention({
  store,
  settings,
  nextTick,
}: {
  store: Store;
  settings: AppSettings;
  /** When a job runs next. */
  nextTick: (job: string) => { tick: number; intervalMs: number };
}): PreviewRetention {
  return async (unsaved) => {
    const { shown } = await settings.latest();
    const days = (setting: keyof Days) =>
      unsaved[setting] === undefined ? shown[setting] : unsaved[setting];
    const next = nextTick(JOB);
    const at = await store.nextClock({ job: JOB, ...next });
    const limits = retentionLimits(
      {
        sessionRetentionDays: days('session_retention_days'),
        leadRetentionDays: days('lead_retention_days'),
        leadRetentionStages: unsaved.lead_retention_stages ?? shown.lead_retention_stages,
        setAsideRetentionDays: days('set_aside_retention_days'),
        flowSendBodyRetentionDays: days('flow_send_body_retention_days'),
        unmatchedEventRetentionDays: days('unmatched_event_retention_days'),
        archiveRetentionDays: days('archive_retention_days') ?? 0,
        replayRetentionDays: days('replay_retention_days') ?? 0,
      },
      at,
    );
    const found = await store.retentionPreview(limits);
    return {
      next_run_at: dateTime(next.tick),
      classes: CLASSES.map(([name, setting, key]) => ({
        class: name,
        setting,
        days: days(setting) || null,
        rows: found[key].rows,
        oldest: found[key].oldest === null ? null : dateTime(found[key].oldest),
      })),
    };
  };
}
