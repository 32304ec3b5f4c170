import { defined } from '../../shared/search-params.ts';
import { Card } from '../../ui/card.tsx';
import { ChipsField } from './parts/chips-field.tsx';
import { NumberField } from './parts/number-field.tsx';
import { SettingsForm } from './parts/settings-form.tsx';
import { SettingsLoaded } from './parts/settings-loaded.tsx';
import { numberOf, type Settings, useSettingsDraft } from './parts/use-settings.ts';

export function LeadsSection() {
  return <SettingsLoaded>{(settings) => <LeadsForm settings={settings} />}</SettingsLoaded>;
}

function LeadsForm({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    {
      internal_teams: settings.internal_teams,
      duplicate_window_minutes: String(settings.duplicate_window_minutes),
    },
    ({ internal_teams, duplicate_window_minutes: minutes }) =>
      defined({
        internal_teams,
        duplicate_window_minutes: minutes === undefined ? undefined : numberOf(minutes),
      }),
  );
  return (
    <SettingsForm draft={draft} label="Leads">
      <Card
        title="Internal teams"
        hint="Some forms name the team that a lead is for. A team listed here has a thank-you page of its own."
      >
        <ChipsField
          label="Teams"
          placeholder="Sales North"
          hint="Visitors who write to “Sales North” are sent to /thank-you-sales-north, everybody else to /thank-you.html."
          error={draft.errorOf('internal_teams')}
          values={draft.values.internal_teams}
          onChange={(teams) => draft.set('internal_teams', teams)}
        />
      </Card>
      <Card
        title="Repeated enquiries"
        hint="People press Send twice, or fill in two forms in a row. These enquiries are kept, and marked as duplicates."
      >
        <NumberField
          label="Duplicate window"
          unit="minutes"
          hint="How soon after the one before an enquiry counts as a duplicate. 0 marks none."
          error={draft.errorOf('duplicate_window_minutes')}
          value={draft.values.duplicate_window_minutes}
          onChange={(minutes) => draft.set('duplicate_window_minutes', minutes)}
        />
      </Card>
    </SettingsForm>
  );
}
