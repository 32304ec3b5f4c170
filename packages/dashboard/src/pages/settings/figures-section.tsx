import { Card } from '../../ui/card.tsx';
import { SettingsForm } from './parts/settings-form.tsx';
import { SettingsLoaded } from './parts/settings-loaded.tsx';
import { TextField } from './parts/text-field.tsx';
import { type Settings, useSettingsDraft } from './parts/use-settings.ts';

export function FiguresSection() {
  return <SettingsLoaded>{(settings) => <FiguresForm settings={settings} />}</SettingsLoaded>;
}

function FiguresForm({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    { timezone: settings.timezone, currency: settings.currency },
    (changed) => changed,
  );
  return (
    <SettingsForm draft={draft} label="Time zone and currency">
      <Card title="Time zone" hint="Days, weeks and months begin at midnight in this time zone.">
        <TextField
          label="Time zone"
          placeholder="Europe/Berlin"
          hint="Its IANA name."
          className="max-w-72"
          {...draft.field('timezone')}
        />
      </Card>
      <Card title="Currency" hint="All costs and the values of leads are in this currency.">
        <TextField
          label="Currency"
          placeholder="EUR"
          hint="Three letters. Imported costs in another currency are left out."
          className="max-w-40"
          {...draft.field('currency')}
        />
      </Card>
    </SettingsForm>
  );
}
