import { Dices, Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Field, TextInput } from '../../../ui/field.tsx';

const GENERATED_BYTES = 32;

/** Undefined keeps the secret, null removes it. */
export type SecretChange = string | null | undefined;

/** A write-only secret. */
export function SecretField({
  label,
  hint,
  error,
  isSet,
  value: change,
  onChange,
}: {
  label: string;
  hint: ReactNode;
  error: string | undefined;
  isSet: boolean;
  value: SecretChange;
  onChange: (change: SecretChange) => void;
}) {
  const [isTyping, setTyping] = useState(false);
  if (isTyping) {
    return (
      <SecretInput
        label={label}
        hint={hint}
        error={error}
        value={change ?? ''}
        // An empty field keeps the current secret.
        onChange={(typed) => onChange(typed === '' ? undefined : typed)}
        onCancel={() => {
          onChange(undefined);
          setTyping(false);
        }}
      />
    );
  }
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-[0.8125rem] font-medium">{label}</legend>
      <div className="flex min-h-9 flex-wrap items-center gap-2">
        {change === null ? (
          <>
            <Badge tone="warning">Removed when you save</Badge>
            <Button size="small" onClick={() => onChange(undefined)} aria-label={`Keep the ${lower(label)}`}>
              Keep
            </Button>
          </>
        ) : (
          <>
            <Badge tone={isSet ? 'positive' : 'neutral'}>{isSet ? 'Set' : 'Not set'}</Badge>
            <Button
              size="small"
              onClick={() => setTyping(true)}
              aria-label={`${isSet ? 'Replace' : 'Add'} the ${lower(label)}`}
            >
              {isSet ? 'Replace' : 'Add'}
            </Button>
            {isSet && (
              <Button
                size="small"
                look="ghost"
                onClick={() => onChange(null)}
                aria-label={`Remove the ${lower(label)}`}
              >
                Remove
              </Button>
            )}
          </>
        )}
      </div>
      <p className="text-[0.8125rem] text-ink-faint">{hint}</p>
    </fieldset>
  );
}

function SecretInput({
  label,
  hint,
  error,
  value,
  onChange,
  onCancel,
}: {
  label: string;
  hint: ReactNode;
  error: string | undefined;
  value: string;
  onChange: (typed: string) => void;
  onCancel: () => void;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) => (
        <div className="flex flex-wrap items-center gap-2">
          <div className="flex min-w-0 flex-[1_1_16rem] gap-2">
            <TextInput
              {...tied}
              type={isShown ? 'text' : 'password'}
              autoComplete="new-password"
              autoFocus
              spellCheck={false}
              className="font-mono"
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
            <Button
              aria-label={isShown ? 'Hide the secret' : 'Show the secret'}
              icon={isShown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
              onClick={() => setShown(!isShown)}
            />
          </div>
          <Button
            size="small"
            icon={<Dices aria-hidden="true" />}
            onClick={() => {
              onChange(generatedSecret());
              setShown(true);
            }}
          >
            Generate
          </Button>
          {value !== '' && <CopyButton text={value} />}
          <Button size="small" look="ghost" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      )}
    </Field>
  );
}

function generatedSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GENERATED_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function lower(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.slice(0, 1).toLowerCase() + label.slice(1);
}
