import { defined } from '../../shared/search-params.ts';
import { Card } from '../../ui/card.tsx';
import { Note } from './parts/note.tsx';
import { NumberField } from './parts/number-field.tsx';
import { RefusedNote } from './parts/refused-note.tsx';
import { SettingsForm } from './parts/settings-form.tsx';
import { SettingsLoaded } from './parts/settings-loaded.tsx';
import { SwitchRow } from './parts/switch-row.tsx';
import { TextField } from './parts/text-field.tsx';
import { numberOf, type Settings, useSettingsDraft } from './parts/use-settings.ts';

export function DroughtSection() {
  return <SettingsLoaded>{(settings) => <DroughtForm settings={settings} />}</SettingsLoaded>;
}

function DroughtForm({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    {
      lead_drought_enabled: settings.lead_drought_enabled,
      lead_drought_hours: String(settings.lead_drought_hours),
      lead_drought_webhook_url: settings.lead_drought_webhook_url ?? '',
    },
    ({ lead_drought_enabled, lead_drought_hours: hours, lead_drought_webhook_url: url }) =>
      defined({
        lead_drought_enabled,
        lead_drought_hours: hours === undefined ? undefined : numberOf(hours),
        lead_drought_webhook_url: url?.trim(),
      }),
  );
  const { values, set, field } = draft;
  return (
    <SettingsForm draft={draft} label="Drought alert">
      <Card
        title="Drought alert"
        hint="A broken form fails silently. Get an alert when no lead has come in for longer than usual."
      >
        <div className="grid gap-5">
          <SwitchRow
            label="Alert me when leads stop coming in"
            hint="One alert per drought; the next one only after a new lead."
            isOn={values.lead_drought_enabled}
            onChange={(isOn) => set('lead_drought_enabled', isOn)}
          />
          <NumberField
            label="Time without a lead"
            unit="hours"
            hint="Pick a time longer than your usual quiet nights and weekends."
            {...field('lead_drought_hours')}
          />
          <TextField
            label="Alert webhook"
            hint="The address of an incoming webhook, such as Slack’s. It receives a text, the time of the last lead and the hours since."
            inputMode="url"
            placeholder="https://"
            {...field('lead_drought_webhook_url')}
          />
          <RefusedNote
            isRefused={settings.lead_drought_webhook_url_refused}
            isAsSaved={values.lead_drought_webhook_url === settings.lead_drought_webhook_url}
          />
          {values.lead_drought_enabled && values.lead_drought_webhook_url.trim() === '' && (
            <Note tone="warning">No alert is sent without an address. Enter one above.</Note>
          )}
        </div>
      </Card>
    </SettingsForm>
  );
}
