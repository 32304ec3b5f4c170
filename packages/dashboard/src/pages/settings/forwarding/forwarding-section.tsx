import { defined } from '../../../shared/search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { ChipsField } from '../parts/chips-field.tsx';
import { CopyLine } from '../parts/code-block.tsx';
import { Note } from '../parts/note.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { RefusedNote } from '../parts/refused-note.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { SettingsForm } from '../parts/settings-form.tsx';
import { SettingsLoaded } from '../parts/settings-loaded.tsx';
import { SwitchRow } from '../parts/switch-row.tsx';
import { TextField } from '../parts/text-field.tsx';
import { type Settings, useSettingsDraft } from '../parts/use-settings.ts';
import { LatestLead } from './latest-lead.tsx';
import { type SecretChange, SecretField } from './secret-field.tsx';
import { StageRules } from './stage-rules.tsx';
import { TestLead } from './test-lead.tsx';

export function ForwardingSection() {
  return <SettingsLoaded>{(settings) => <Forwarding settings={settings} />}</SettingsLoaded>;
}

const FOLLOW_UPS = [
  { value: 'never', label: 'Never' },
  { value: 'new_details', label: 'With new contact details' },
  { value: 'always', label: 'Always' },
] as const;

const UNCHANGED: SecretChange = undefined;

/** Anything but a number is left for the service to refuse. */
function riskOf(text: string): number | null {
  if (text.trim() === '') return null;
  const risk = Number(text);
  return Number.isNaN(risk) ? -1 : risk;
}

function Forwarding({ settings }: { settings: Settings }) {
  const draft = useSettingsDraft(
    {
      flow_enabled: settings.flow_enabled,
      flow_webhook_url: settings.flow_webhook_url ?? '',
      flow_signing_secret: UNCHANGED,
      flow_send_follow_ups: settings.flow_send_follow_ups,
      flow_send_stage_changes: settings.flow_send_stage_changes,
      flow_risk_max: settings.flow_risk_max === null ? '' : String(settings.flow_risk_max),
      crm_callback_secret: UNCHANGED,
      crm_webhook_secret: UNCHANGED,
      callbacks_require_signature: settings.callbacks_require_signature,
      crm_stage_map: settings.crm_stage_map,
      crm_value_fields: settings.crm_value_fields,
    },
    ({ flow_risk_max: risk, ...changed }) =>
      defined({
        ...changed,
        flow_webhook_url: changed.flow_webhook_url?.trim(),
        flow_risk_max: risk === undefined ? undefined : riskOf(risk),
      }),
  );
  const { values, set, field } = draft;
  return (
    <>
      <SettingsForm draft={draft} label="Forwarding">
        <Card
          title="Forward leads"
          hint="Every new lead is sent to your automation platform, such as n8n, Make or Zapier, and retried until it arrives."
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
              hint="From the first step of your automation. If empty, the address from the environment is used."
              inputMode="url"
              placeholder="https://"
              {...field('flow_webhook_url')}
            />
            <RefusedNote
              isRefused={settings.flow_webhook_url_refused}
              isAsSaved={values.flow_webhook_url === settings.flow_webhook_url}
            />
            {values.flow_enabled && values.flow_webhook_url.trim() === '' && (
              <Note tone="warning">No lead is sent without an address. Enter one above.</Note>
            )}
            <SelectField
              label="Send follow-ups"
              className="sm:max-w-72"
              choices={FOLLOW_UPS}
              hint={
                <>
                  When someone who is already a lead submits again. Your automation recognises these by{' '}
                  <code className="font-mono">is_follow_up</code>.
                </>
              }
              {...field('flow_send_follow_ups')}
            />
            <NumberField
              label="Highest risk to forward"
              unit="0 to 100"
              placeholder="No limit"
              hint="Leads with a higher risk are kept but not sent; you can still send them by hand. If empty, all are sent."
              {...field('flow_risk_max')}
            />
            <SwitchRow
              label="Send stage changes"
              hint="When a lead is moved to another stage here. Your automation recognises these by type “lead.stage_changed”; set it up for them first."
              isOn={values.flow_send_stage_changes}
              onChange={(isOn) => set('flow_send_stage_changes', isOn)}
            />
            <SecretField
              key={`Signing secret ${draft.round}`}
              label="Signing secret"
              hint="Signs every delivery, so that your automation can verify the sender."
              isSet={settings.flow_signing_secret_set}
              {...field('flow_signing_secret')}
            />
          </div>
        </Card>
        <Card
          title="Report back"
          hint="Your automation and your CRM can report what became of a lead. They send the secret as “Authorization: Bearer …” or “X-API-Key: …”."
        >
          <div className="grid gap-5">
            <SecretField
              key={`Callback secret ${draft.round}`}
              label="Callback secret"
              hint="For the next two addresses. Without it, they refuse every request."
              isSet={settings.crm_callback_secret_set}
              {...field('crm_callback_secret')}
            />
            <CopyLine
              title="CRM ID of a lead"
              text={`${location.origin}/lead.capture/crm-callback`}
              hint="POST lead_public_id and crm_lead_id once the CRM has created the lead."
            />
            <CopyLine
              title="Automation run"
              text={`${location.origin}/lead.capture/flow-callback`}
              hint="POST flow_send_public_id and flow_execution_url; the lead then links to that run."
            />
            <SecretField
              key={`CRM webhook secret ${draft.round}`}
              label="CRM webhook secret"
              hint="For the address below. If it is not set, the callback secret is used."
              isSet={settings.crm_webhook_secret_set}
              {...field('crm_webhook_secret')}
            />
            <CopyLine
              title="CRM changes"
              text={`${location.origin}/webhooks/crm/lead`}
              hint="POST crm_lead_id and event_type whenever a lead changes; it appears in the lead’s timeline."
            />
            <SwitchRow
              label="Require signed reports"
              hint="Refuses reports without a signature made with their secret (Standard Webhooks), so that none can be forged or replayed."
              isOn={values.callbacks_require_signature}
              onChange={(isOn) => set('callbacks_require_signature', isOn)}
            />
          </div>
        </Card>
        <Card
          title="CRM updates"
          hint="Reports from the CRM can move a lead to another stage and set its value."
        >
          <div className="grid gap-5">
            <StageRules {...field('crm_stage_map')} />
            <ChipsField
              label="Value"
              placeholder="deal.amount"
              hint="Fields with the value of the lead, in your currency. The first one with a number wins."
              {...field('crm_value_fields')}
            />
          </div>
        </Card>
      </SettingsForm>
      <Card title="Try it" hint="Send a lead and see how your automation responds.">
        {/* Reset after saving: earlier outcomes belong to another address. */}
        <div className="grid gap-4 divide-y divide-line *:not-last:pb-4">
          <TestLead key={`Test lead ${draft.round}`} settings={settings} hasUnsaved={draft.isChanged} />
          <LatestLead key={`Latest lead ${draft.round}`} settings={settings} hasUnsaved={draft.isChanged} />
        </div>
      </Card>
    </>
  );
}
