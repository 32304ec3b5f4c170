import { useId } from 'react';
import { Card } from '../../ui/card.tsx';
import { SettingsForm } from './parts/settings-form.tsx';
import { SettingsLoaded } from './parts/settings-loaded.tsx';
import { TextField } from './parts/text-field.tsx';
import { type Settings, useSettingsDraft } from './parts/use-settings.ts';

export function FiguresSection() {
  return <SettingsLoaded>{(settings) => <FiguresForm settings={settings} />}</SettingsLoaded>;
}

function FiguresForm({ settings }: { settings: Settings }) {
  const zones = useId();
  const draft = useSettingsDraft(
    { timezone: settings.timezone, currency: settings.currency },
    (changed) => changed,
  );
  return (
    <SettingsForm draft={draft} label="Time zone and currency">
      <Card title="Time zone and currency" hint="For all figures, and for everyone who sees them.">
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <TextField
            label="Time zone"
            placeholder="Europe/Berlin"
            hint="Days, weeks and months begin at midnight there. A name such as Europe/Berlin."
            list={zones}
            {...draft.field('timezone')}
          />
          <datalist id={zones}>
            {Intl.supportedValuesOf('timeZone').map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <TextField
            label="Currency"
            placeholder="EUR"
            hint="Three letters, for costs and lead values. Imported costs in another currency are left out."
            {...draft.field('currency')}
          />
        </div>
      </Card>
    </SettingsForm>
  );
}
