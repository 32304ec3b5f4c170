import { defined } from '../../shared/search-params.ts';
import { Card } from '../../ui/card.tsx';
import { ChipsField } from './parts/chips-field.tsx';
import { NumberField } from './parts/number-field.tsx';
import { SettingsForm } from './parts/settings-form.tsx';
import { SettingsLoaded } from './parts/settings-loaded.tsx';
import { SwitchRow } from './parts/switch-row.tsx';
import { numberOf, type Settings, useSettingsDraft } from './parts/use-settings.ts';

export function LeadsSection() {
  return <SettingsLoaded>{(settings) => <LeadsForm settings={settings} />}</SettingsLoaded>;
}

function LeadsForm({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    {
      bot_lead_detection: settings.bot_lead_detection,
      internal_teams: settings.internal_teams,
      duplicate_window_minutes: String(settings.duplicate_window_minutes),
      attribution_days: String(settings.attribution_days),
      portal_domains: settings.portal_domains,
      blocked_email_domains: settings.blocked_email_domains,
      blocked_phones: settings.blocked_phones,
      blocked_words: settings.blocked_words,
      disposable_email_domains: settings.disposable_email_domains,
    },
    ({ duplicate_window_minutes: minutes, attribution_days: days, ...changed }) =>
      defined({
        ...changed,
        duplicate_window_minutes: minutes === undefined ? undefined : numberOf(minutes),
        attribution_days: days === undefined ? undefined : numberOf(days),
      }),
  );
  return (
    <SettingsForm draft={draft} label="Leads">
      <Card title="Bots" hint="Leads from bots are kept and marked, but not forwarded.">
        <SwitchRow
          label="Detect bots"
          hint="By a hidden field, by how the form was filled in, and by the browser. IP addresses that fill in the hidden field are blocked."
          isOn={draft.values.bot_lead_detection}
          onChange={(isOn) => draft.set('bot_lead_detection', isOn)}
        />
      </Card>
      <Card
        title="Spam"
        hint="Submissions that match are kept under Rejected. Their senders still see the usual thank-you page."
      >
        <div className="grid gap-5">
          <ChipsField
            label="Blocked e-mail domains"
            placeholder="spam.example"
            hint="Subdomains are included."
            {...draft.field('blocked_email_domains')}
          />
          <ChipsField
            label="Blocked phone numbers"
            placeholder="+49 30 1234567"
            {...draft.field('blocked_phones')}
          />
          <ChipsField
            label="Blocked words"
            placeholder="casino"
            hint="Whole words in name, message or custom fields."
            {...draft.field('blocked_words')}
          />
          <ChipsField
            label="Disposable e-mail domains"
            placeholder="throwaway.example"
            hint="Besides the well-known ones. Such addresses are accepted with a higher risk."
            {...draft.field('disposable_email_domains')}
          />
        </div>
      </Card>
      <Card
        title="Internal teams"
        hint="Forms can name the team a lead is for. Each team listed here has its own thank-you page."
      >
        <ChipsField
          label="Teams"
          placeholder="Sales North"
          hint="Leads for “Sales North” see /thank-you-sales-north, all others /thank-you.html."
          {...draft.field('internal_teams')}
        />
      </Card>
      <Card
        title="Duplicate submissions"
        hint="People press Send twice or fill in two forms in a row. Such submissions are kept and marked as duplicates."
      >
        <NumberField
          label="Duplicate window"
          unit="minutes"
          hint="A submission this soon after the previous one counts as a duplicate. 0 turns this off."
          {...draft.field('duplicate_window_minutes')}
        />
      </Card>
      <Card
        title="Attribution"
        hint="Every lead shows the visits that led to it, with channel, source and campaign."
      >
        <div className="grid gap-5">
          <NumberField
            label="Attribution window"
            unit="days"
            hint="Visits up to this long before a submission are credited with the lead."
            {...draft.field('attribution_days')}
          />
          <ChipsField
            label="Portals"
            placeholder="portal.example"
            hint="Domains of listing sites and marketplaces, whose visits get the channel Portal."
            {...draft.field('portal_domains')}
          />
        </div>
      </Card>
    </SettingsForm>
  );
}
