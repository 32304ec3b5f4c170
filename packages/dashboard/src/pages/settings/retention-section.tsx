import { defined } from '../../shared/search-params.ts';
import { Card } from '../../ui/card.tsx';
import { ChipsField } from './parts/chips-field.tsx';
import { Note } from './parts/note.tsx';
import { NumberField } from './parts/number-field.tsx';
import { SettingsForm } from './parts/settings-form.tsx';
import { SettingsLoaded } from './parts/settings-loaded.tsx';
import { numberOf, type Settings, useSettingsDraft } from './parts/use-settings.ts';

export function RetentionSection() {
  return <SettingsLoaded>{(settings) => <RetentionForm settings={settings} />}</SettingsLoaded>;
}

function RetentionForm({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    {
      archive_retention_days: String(settings.archive_retention_days),
      replay_retention_days: String(settings.replay_retention_days),
      replay_storage_mb: String(settings.replay_storage_mb),
      replay_sample_rate: percentOf(settings.replay_sample_rate),
      redacted_parameters: settings.redacted_parameters,
      analytics_refresh_cooldown_seconds: String(settings.analytics_refresh_cooldown_seconds),
    },
    (changed) =>
      defined({
        archive_retention_days: read(changed.archive_retention_days),
        replay_retention_days: read(changed.replay_retention_days),
        replay_storage_mb: read(changed.replay_storage_mb),
        replay_sample_rate: read(changed.replay_sample_rate, (percent) => percent / 100),
        redacted_parameters: changed.redacted_parameters,
        analytics_refresh_cooldown_seconds: read(changed.analytics_refresh_cooldown_seconds),
      }),
  );
  const { values, set, errorOf, field } = draft;
  return (
    <SettingsForm draft={draft} label="Retention and replay">
      <Card
        title="Session replay"
        hint="Watch how visitors use your pages before they get in touch or leave."
      >
        <div className="grid gap-5">
          <NumberField
            label="Visits to record"
            unit="percent"
            hint="0 records none, 100 every visit. Most teams learn enough from 5 to 10."
            // The service's own message speaks of 0 to 1.
            error={errorOf('replay_sample_rate') && 'Must be a number from 0 to 100.'}
            value={values.replay_sample_rate}
            onChange={(percent) => set('replay_sample_rate', percent)}
          />
          <NumberField
            label="Keep recordings"
            unit="days"
            hint="0 keeps them forever."
            {...field('replay_retention_days')}
          />
          <NumberField
            label="Storage for recordings"
            unit="MB"
            hint="When it is full, the oldest recordings are deleted first. 0 sets no limit."
            {...field('replay_storage_mb')}
          />
          <Note>
            <p>
              What people type is masked in their browser and never leaves it. Mention recordings in your
              privacy policy, and ask for consent where the law requires it.
            </p>
          </Note>
        </div>
      </Card>
      <Card title="Archives" hint="Ended visits are archived with everything that happened in them.">
        <NumberField
          label="Keep archives"
          unit="days"
          hint="0 keeps them forever. Leads and figures are kept either way."
          {...field('archive_retention_days')}
        />
      </Card>
      <Card
        title="Addresses of pages"
        hint="Secrets and contact data in them are not kept: values of token, email, phone, password, code and the like."
      >
        <ChipsField
          label="More parameters without their values"
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
    </SettingsForm>
  );
}

function read(text: string | undefined, convert = (value: number) => value): number | undefined {
  return text === undefined ? undefined : convert(numberOf(text));
}

/** Rounds off floating-point noise: 0.07 * 100 is 7.000000000000001. */
function percentOf(share: number): string {
  return String(Number((share * 100).toFixed(6)));
}
