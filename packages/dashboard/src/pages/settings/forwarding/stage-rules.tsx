import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextInput } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import { statusName } from '../../../ui/status-badge.tsx';
import type { Settings } from '../parts/use-settings.ts';

type Rule = Settings['crm_stage_map'][number];

const STAGES = LEAD_STATUSES.map((value) => ({ value, label: statusName(value) }));
const NEW_RULE: Rule = { field: 'status', value: '', stage: 'qualified' };

/** Which value of which field of a CRM event means which stage. */
export function StageRules({
  value: rules,
  error,
  onChange,
}: {
  value: readonly Rule[];
  error: string | undefined;
  onChange: (rules: Rule[]) => void;
}) {
  const addButton = useRef<HTMLButtonElement>(null);
  const change = (at: number, part: Partial<Rule>) =>
    onChange(rules.map((rule, i) => (i === at ? { ...rule, ...part } : rule)));

  function remove(at: number) {
    onChange(rules.filter((_, i) => i !== at));
    addButton.current?.focus();
  }

  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-[0.8125rem] font-medium">Stages</legend>
      {rules.map((rule, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: A rule has no identity besides its position.
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,10rem)_auto]"
        >
          <TextInput
            aria-label={`Field of rule ${at + 1}`}
            placeholder="deal.stage"
            spellCheck={false}
            value={rule.field}
            onChange={(event) => change(at, { field: event.target.value })}
            {...(error === undefined ? {} : { 'aria-invalid': true as const })}
          />
          <TextInput
            aria-label={`Value of rule ${at + 1}`}
            placeholder="Closed won"
            value={rule.value}
            onChange={(event) => change(at, { value: event.target.value })}
            {...(error === undefined ? {} : { 'aria-invalid': true as const })}
          />
          <Select
            label={`Stage of rule ${at + 1}`}
            className="max-sm:col-span-2 max-sm:row-start-2"
            value={rule.stage}
            choices={STAGES}
            onChange={(stage) => change(at, { stage })}
          />
          <Button
            look="ghost"
            aria-label={`Remove rule ${at + 1}`}
            icon={<Trash2 aria-hidden="true" />}
            onClick={() => remove(at)}
          />
        </div>
      ))}
      <div>
        <Button
          ref={addButton}
          size="small"
          icon={<Plus aria-hidden="true" />}
          onClick={() => onChange([...rules, { ...NEW_RULE, field: rules.at(-1)?.field ?? NEW_RULE.field }])}
        >
          Add rule
        </Button>
      </div>
      <p
        role={error === undefined ? undefined : 'alert'}
        className={error === undefined ? 'text-[0.8125rem] text-ink-faint' : 'text-[0.8125rem] text-negative'}
      >
        {error ??
          'A field of the report, its value, and the stage it stands for. The first matching rule wins; case does not matter.'}
      </p>
    </fieldset>
  );
}
