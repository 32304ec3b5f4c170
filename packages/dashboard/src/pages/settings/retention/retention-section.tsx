import type { ComponentProps } from 'react';
import { defined } from '../../../shared/search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { ChipsField } from '../parts/chips-field.tsx';
import { Note } from '../parts/note.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { SettingsForm } from '../parts/settings-form.tsx';
import { SettingsLoaded } from '../parts/settings-loaded.tsx';
import { numberOf, type Settings, useSettingsDraft } from '../parts/use-settings.ts';
import { RemovalQuestion } from './removal-question.tsx';
import { RetentionPreview } from './retention-preview.tsx';
import { StagesField } from './stages-field.tsx';
import { useRemovalGuard } from './use-removal-guard.ts';

const FIELDS = 'grid items-start gap-5 sm:grid-cols-2';

export function RetentionSection() {
  return <SettingsLoaded>{(settings) => <RetentionForm settings={settings} />}</SettingsLoaded>;
}

function RetentionForm({ settings }: { settings: Settings }) {
  const saved = {
    session_retention_days: textOf(settings.session_retention_days),
    lead_retention_days: textOf(settings.lead_retention_days),
    lead_retention_stages: settings.lead_retention_stages,
    set_aside_retention_days: textOf(settings.set_aside_retention_days),
    flow_send_body_retention_days: textOf(settings.flow_send_body_retention_days),
    unmatched_event_retention_days: textOf(settings.unmatched_event_retention_days),
    archive_retention_days: textOf(settings.archive_retention_days),
    replay_retention_days: textOf(settings.replay_retention_days),
    replay_storage_mb: String(settings.replay_storage_mb),
    replay_sample_rate: percentOf(settings.replay_sample_rate),
    redacted_parameters: settings.redacted_parameters,
    analytics_refresh_cooldown_seconds: String(settings.analytics_refresh_cooldown_seconds),
  };
  const draft = useSettingsDraft(saved, (changed) =>
    defined({
      session_retention_days: readDays(changed.session_retention_days),
      lead_retention_days: readDays(changed.lead_retention_days),
      lead_retention_stages: changed.lead_retention_stages,
      set_aside_retention_days: readDays(changed.set_aside_retention_days),
      flow_send_body_retention_days: readDays(changed.flow_send_body_retention_days),
      unmatched_event_retention_days: readDays(changed.unmatched_event_retention_days),
      archive_retention_days: readDays(changed.archive_retention_days),
      replay_retention_days: readDays(changed.replay_retention_days),
      replay_storage_mb: read(changed.replay_storage_mb),
      replay_sample_rate: read(changed.replay_sample_rate, (percent) => percent / 100),
      redacted_parameters: changed.redacted_parameters,
      analytics_refresh_cooldown_seconds: read(changed.analytics_refresh_cooldown_seconds),
    }),
  );
  const { values, set, errorOf, field } = draft;
  const typed = {
    session_retention_days: values.session_retention_days,
    lead_retention_days: values.lead_retention_days,
    lead_retention_stages: values.lead_retention_stages.join(','),
    set_aside_retention_days: values.set_aside_retention_days,
    flow_send_body_retention_days: values.flow_send_body_retention_days,
    unmatched_event_retention_days: values.unmatched_event_retention_days,
    archive_retention_days: values.archive_retention_days,
    replay_retention_days: values.replay_retention_days,
  };
  const guard = useRemovalGuard(draft, typed, saved);
  return (
    <SettingsForm draft={guard.draft} label="Retention and replay">
      <Card
        title="Session replay"
        hint="Watch how visitors use your pages before they get in touch or leave."
      >
        <div className={FIELDS}>
          <NumberField
            label="Visits to record"
            unit="percent"
            hint="0 records none, 100 every visit. Most teams learn enough from 5 to 10."
            // The service's own message speaks of 0 to 1.
            error={errorOf('replay_sample_rate') && 'Must be a number from 0 to 100.'}
            value={values.replay_sample_rate}
            onChange={(percent) => set('replay_sample_rate', percent)}
          />
          <DaysField label="Keep recordings" {...field('replay_retention_days')} />
          <NumberField
            label="Storage for recordings"
            unit="MB"
            hint="When it is full, the oldest recordings are deleted first. 0 sets no limit."
            {...field('replay_storage_mb')}
          />
          <div className="sm:col-span-full">
            <Note>
              <p>
                What people type is masked in their browser and never leaves it. Mention recordings in your
                privacy policy, and ask for consent where the law requires it.
              </p>
            </Note>
          </div>
        </div>
      </Card>
      <Card
        title="Visits"
        hint="Older visits are removed every night. Overview, Campaigns and the origin of leads then reach back no further."
      >
        <div className={FIELDS}>
          <DaysField
            label="Keep visits"
            hint="Pages, events and addresses of each visit."
            {...field('session_retention_days')}
          />
          <DaysField
            label="Keep archives"
            hint="Ended visits are archived too."
            {...field('archive_retention_days')}
          />
        </div>
      </Card>
      <Card
        title="Leads"
        hint="Old leads in some stages are removed with their submissions, deliveries and CRM events; Overview and Campaigns no longer count them."
      >
        <div className={FIELDS}>
          <DaysField
            label="Keep leads"
            hint="Counted from the last submission, change of stage or note."
            {...field('lead_retention_days')}
          />
          <StagesField
            label="Only leads in these stages"
            value={values.lead_retention_stages}
            onChange={(stages) => set('lead_retention_stages', stages)}
          />
          <DaysField
            label="Keep rejected and testing leads"
            hint="Those you delete are removed after 30 days in any case."
            {...field('set_aside_retention_days')}
          />
          <DaysField
            label="Keep the contents of deliveries"
            hint="Requests and responses. Without them a delivery cannot be resent."
            {...field('flow_send_body_retention_days')}
          />
          <DaysField
            label="Keep CRM events without a lead"
            hint="They wait for a callback that brings their CRM ID."
            {...field('unmatched_event_retention_days')}
          />
        </div>
      </Card>
      <RetentionPreview typed={typed} />
      <Card
        title="Page addresses"
        hint="Secrets and contact data in them are redacted: values of token, email, phone, password, code and the like."
      >
        <ChipsField
          label="More parameters to redact"
          placeholder="member_id"
          hint="Parameters of your own pages that identify a person."
          {...field('redacted_parameters')}
        />
      </Card>
      <Card
        title="Refreshing figures"
        hint="Figures are always current. A refresh reloads all of them from the database."
      >
        <NumberField
          label="Pause between refreshes"
          unit="seconds"
          hint="How long to wait before the figures can be refreshed again."
          {...field('analytics_refresh_cooldown_seconds')}
        />
      </Card>
      <RemovalQuestion {...guard.question} />
    </SettingsForm>
  );
}

type DaysFieldProps = Omit<ComponentProps<typeof NumberField>, 'unit' | 'placeholder' | 'hint'> & {
  hint?: string;
};

/** How long something is kept. */
function DaysField({ hint = '', ...field }: DaysFieldProps) {
  return (
    <NumberField
      {...field}
      unit="days"
      hint={`${hint} Empty or 0 keeps them forever.`.trim()}
      placeholder="Forever"
    />
  );
}

function textOf(days: number | null): string {
  return days ? String(days) : '';
}

/** Empty means forever, like 0. Anything but a number is sent as it is, for the service to refuse with a message. */
function readDays(text: string | undefined): number | undefined {
  return text === undefined || Number.isNaN(Number(text)) ? (text as number | undefined) : Number(text);
}

function read(text: string | undefined, convert = (value: number) => value): number | undefined {
  return text === undefined ? undefined : convert(numberOf(text));
}

/** Rounds off floating-point noise: 0.07 * 100 is 7.000000000000001. */
function percentOf(share: number): string {
  return String(Number((share * 100).toFixed(6)));
}
