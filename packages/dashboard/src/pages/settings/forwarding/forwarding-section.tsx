import { defined } from '../../../shared/search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyLine } from '../parts/code-block.tsx';
import { Note } from '../parts/note.tsx';
import { RefusedNote } from '../parts/refused-note.tsx';
import { SettingsForm } from '../parts/settings-form.tsx';
import { SettingsLoaded } from '../parts/settings-loaded.tsx';
import { SwitchRow } from '../parts/switch-row.tsx';
import { TextField } from '../parts/text-field.tsx';
import { type Settings, useSettingsDraft } from '../parts/use-settings.ts';
import { LatestLead } from './latest-lead.tsx';
import { type SecretChange, SecretField } from './secret-field.tsx';
import { TestLead } from './test-lead.tsx';

export function ForwardingSection() {
  return <SettingsLoaded>{(settings) => <Forwarding settings={settings} />}</SettingsLoaded>;
}

const UNCHANGED: SecretChange = undefined;

function Forwarding({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    {
      flow_enabled: settings.flow_enabled,
      flow_webhook_url: settings.flow_webhook_url ?? '',
      flow_signing_secret: UNCHANGED,
      crm_callback_secret: UNCHANGED,
      crm_webhook_secret: UNCHANGED,
    },
    (changed) => defined({ ...changed, flow_webhook_url: changed.flow_webhook_url?.trim() }),
  );
  const { values, set, errorOf } = draft;
  return (
    <>
      <SettingsForm draft={draft} label="Forwarding">
        <Card
          title="Send leads on"
          hint="Every new lead goes to your automation platform, such as n8n, Make or Zapier, and is tried again until it has arrived."
        >
          <div className="grid gap-5">
            <SwitchRow
              label="Forward new leads"
              hint="Leads from blocked addresses and bots are not sent."
              isOn={values.flow_enabled}
              onChange={(isOn) => set('flow_enabled', isOn)}
            />
            <TextField
              label="Webhook address"
              hint="From the first step of your automation. Empty means the one from the environment, if there is one."
              error={errorOf('flow_webhook_url')}
              inputMode="url"
              placeholder="https://"
              value={values.flow_webhook_url}
              onChange={(url) => set('flow_webhook_url', url)}
            />
            <RefusedNote
              isRefused={settings.flow_webhook_url_refused}
              isAsSaved={values.flow_webhook_url === settings.flow_webhook_url}
            />
            {values.flow_enabled && values.flow_webhook_url.trim() === '' && (
              <Note tone="warning">Without an address no lead is sent.</Note>
            )}
            <SecretField
              key={`Signing secret ${draft.round}`}
              label="Signing secret"
              hint="Signs what is sent, so that your automation can tell that it comes from here."
              error={errorOf('flow_signing_secret')}
              isSet={settings.flow_signing_secret_set}
              change={values.flow_signing_secret}
              onChange={(change) => set('flow_signing_secret', change)}
            />
          </div>
        </Card>
        <Card
          title="Report back"
          hint="Your automation and your CRM can tell what became of a lead. Paste these addresses there, and send the secret as “Authorization: Bearer …” or “X-API-Key: …”."
        >
          <div className="grid gap-5">
            <SecretField
              key={`Callback secret ${draft.round}`}
              label="Callback secret"
              hint="For the first two addresses. Without one they refuse everything."
              error={errorOf('crm_callback_secret')}
              isSet={settings.crm_callback_secret_set}
              change={values.crm_callback_secret}
              onChange={(change) => set('crm_callback_secret', change)}
            />
            <CopyLine
              title="The CRM’s id of a lead"
              text={`${location.origin}/lead.capture/crm-callback`}
              hint="POST lead_public_id and crm_lead_id once the CRM has taken the lead."
            />
            <CopyLine
              title="The run of the automation"
              text={`${location.origin}/lead.capture/flow-callback`}
              hint="POST flow_send_public_id and flow_execution_url; the lead then links to that run."
            />
            <SecretField
              key={`CRM webhook secret ${draft.round}`}
              label="CRM webhook secret"
              hint="For the address below. Without one the callback secret counts."
              error={errorOf('crm_webhook_secret')}
              isSet={settings.crm_webhook_secret_set}
              change={values.crm_webhook_secret}
              onChange={(change) => set('crm_webhook_secret', change)}
            />
            <CopyLine
              title="Changes in the CRM"
              text={`${location.origin}/webhooks/crm/lead`}
              hint="POST crm_lead_id and event_type whenever a lead changes; it shows up in the lead’s activity."
            />
          </div>
        </Card>
      </SettingsForm>
      <Card title="Try it" hint="Send something and see what your automation answers.">
        {/* Begun anew with every saving: what came of another address says nothing about this one. */}
        <div className="grid gap-4 divide-y divide-line *:not-last:pb-4">
          <TestLead key={`Test lead ${draft.round}`} settings={settings} hasUnsaved={draft.isChanged} />
          <LatestLead key={`Latest lead ${draft.round}`} settings={settings} hasUnsaved={draft.isChanged} />
        </div>
      </Card>
    </>
  );
}
