import { LEAD_VALUE_MAX } from '@leadtrail/contract/limits';
import { readNumber } from '@leadtrail/contract/read-number';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { formatMoney, formatNumber } from '../../format.ts';
import { useWorkspace } from '../../frame/use-workspace.ts';
import { personName } from '../../shared/person-name.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import type { Lead } from './data.ts';

/** What the lead is worth; won leads make the revenue of campaigns. */
export function ValueCard({ lead }: { lead: Lead }) {
  const isAdmin = useIsAdmin();
  const { currency } = useWorkspace();
  if (isAdmin) return <ValueForm lead={lead} />;
  if (lead.value === null) return null;
  return (
    <Card title="Value">
      <p>{amountText(lead.value, currency)}</p>
    </Card>
  );
}

function ValueForm({ lead }: { lead: Lead }) {
  const client = useQueryClient();
  const { currency } = useWorkspace();
  const stored = lead.value === null ? '' : fieldText(lead.value);
  /** Undefined: the stored one is shown. */
  const [edited, setEdited] = useState<string>();
  const typed = edited ?? stored;
  const saving = useMutation({
    mutationFn: (value: number | null) =>
      call('updateLead', { params: { id: lead.lead_id }, body: { value } }),
    async onSuccess() {
      toasts.add({ title: 'Value saved' });
      await client.invalidateQueries({ queryKey: queryKeys.anyLead });
    },
    // Shown even if the page was left before the response.
    onError: (error) => toastProblem(`The value of ${personName(lead)} was not saved`, error),
  });
  const value = readAmount(typed, currency);
  const wrong = wrongWith(value);
  return (
    <Card title="Value">
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (value === undefined || wrong !== undefined || saving.isPending) return;
          saving.mutate(value, {
            // Keeps edits made while saving.
            onSuccess: () => setEdited((now) => (now === edited ? undefined : now)),
          });
        }}
      >
        <Field
          label={currency === undefined ? 'Amount' : `Amount in ${currency}`}
          error={wrong ?? saving.error?.message}
          hint={
            typed !== stored && wrong === undefined && value != null ? amountText(value, currency) : undefined
          }
        >
          {(tied) => (
            <TextInput
              {...tied}
              inputMode="decimal"
              value={typed}
              onChange={(event) => setEdited(event.target.value)}
            />
          )}
        </Field>
        {typed !== stored && (
          <Button
            type="submit"
            look="primary"
            // Aligns with the input, between its label and note.
            className="mt-[1.59375rem]"
            isBusy={saving.isPending}
            disabled={wrong !== undefined}
          >
            Save
          </Button>
        )}
      </form>
    </Card>
  );
}

/** Null if empty, undefined if it is not a number or ambiguous. */
function readAmount(typed: string, currency: string | undefined): number | null | undefined {
  if (typed.trim() === '') return null;
  // A trailing separator was only just typed.
  return readNumber(typed.trimEnd().replace(/[.,]$/, ''), { currency }) ?? undefined;
}

function wrongWith(value: number | null | undefined): string | undefined {
  if (value === undefined)
    return 'This amount is not clear. Write it with one decimal mark, such as 1234.56.';
  const isInRange = value === null || (value >= 0 && value <= LEAD_VALUE_MAX);
  return isInRange ? undefined : `Enter an amount from 0 to ${formatNumber(LEAD_VALUE_MAX)}.`;
}

/** Must round-trip through `readNumber`, which takes exactly three decimals for thousands. */
function fieldText(value: number): string {
  const text = String(value);
  return readNumber(text) === value ? text : value.toFixed(4);
}

/** Not rounded: shows what is stored. */
function amountText(value: number, currency: string | undefined): string {
  return currency === undefined ? String(value) : formatMoney(value, currency, { digits: 'all' });
}
