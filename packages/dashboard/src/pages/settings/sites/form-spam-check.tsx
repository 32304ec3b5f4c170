import type { SpamCheck, SpamCheckFailed } from '@leadtrail/contract/form-settings';
import { Card } from '../../../ui/card.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import type { Draft } from '../parts/use-draft.ts';

/** An undefined secret stays as it is. */
export type SpamCheckValues = {
  spam_check: SpamCheck;
  spam_check_failed: SpamCheckFailed;
  spam_check_site_key: string;
  spam_check_secret: string | undefined;
};

const CHECKS: { value: SpamCheck; label: string; hint: string }[] = [
  { value: 'none', label: 'None', hint: 'The honeypot and the other risk signals still apply.' },
  {
    value: 'proof_of_work',
    label: 'Proof of work',
    hint: 'The browser computes for a moment while the form is filled in. Invisible, and no third party. Needs the form script.',
  },
  {
    value: 'turnstile',
    label: 'Cloudflare Turnstile',
    hint: 'Shows a widget that seldom asks anything. Pages load a script from Cloudflare, which sees the visitor’s IP address.',
  },
  {
    value: 'hcaptcha',
    label: 'hCaptcha',
    hint: 'Shows a box to tick, sometimes a task. Pages load a script from hCaptcha, which sees the visitor’s IP address.',
  },
];

const FAILED: { value: SpamCheckFailed; label: string; hint: string }[] = [
  { value: 'suspicion', label: 'Mark as suspicious', hint: 'Adds 40 points of risk. No lead is lost.' },
  {
    value: 'refuse',
    label: 'Refuse',
    hint: 'Nothing is kept. People whose browser runs no scripts or blocks the check cannot send the form.',
  },
];

export function FormSpamCheck({
  draft,
  isSecretSet,
}: {
  draft: Pick<Draft<SpamCheckValues>, 'values' | 'set' | 'errorOf'>;
  isSecretSet: boolean;
}) {
  const { spam_check, spam_check_failed, spam_check_site_key, spam_check_secret = '' } = draft.values;
  return (
    <Card title="Spam check" hint="Makes the form harder for bots to send than for people.">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="Check"
          hint={CHECKS.find(({ value }) => value === spam_check)?.hint}
          value={spam_check}
          choices={CHECKS}
          onChange={(chosen) => draft.set('spam_check', chosen)}
        />
        {spam_check !== 'none' && (
          <SelectField
            label="If it fails"
            hint={FAILED.find(({ value }) => value === spam_check_failed)?.hint}
            value={spam_check_failed}
            choices={FAILED}
            onChange={(chosen) => draft.set('spam_check_failed', chosen)}
          />
        )}
        {(spam_check === 'turnstile' || spam_check === 'hcaptcha') && (
          <>
            <TextField
              label="Site key"
              hint="Public: it is part of your pages."
              isCode
              value={spam_check_site_key}
              error={draft.errorOf('spam_check_site_key')}
              onChange={(key) => draft.set('spam_check_site_key', key)}
            />
            <TextField
              label="Secret key"
              hint={isSecretSet ? 'One is set. What you type replaces it.' : 'It is never shown again.'}
              isCode
              type="password"
              autoComplete="new-password"
              value={spam_check_secret}
              error={draft.errorOf('spam_check_secret')}
              onChange={(key) => draft.set('spam_check_secret', key === '' ? undefined : key)}
            />
          </>
        )}
      </div>
    </Card>
  );
}
