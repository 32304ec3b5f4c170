import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiProblem } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { toasts } from '../../ui/toast.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import type { IpList } from './ip-list.ts';

export type Edited<R> = { entry: R; isNew: boolean };

export function EntryDialog<R extends { ip: string }>({
  list,
  edited,
  onClose,
}: {
  list: IpList<R>;
  edited: Edited<R> | undefined;
  onClose: () => void;
}) {
  const current = useLastGiven(edited);
  return (
    <Dialog
      isOpen={edited !== undefined}
      onClose={onClose}
      title={current === null || current.isNew ? list.words.add : `Edit ${current.entry.ip}`}
      description={
        current?.isNew === false
          ? 'Saving updates its date, which moves it to the top of the list.'
          : undefined
      }
    >
      {current !== null && (
        <EntryForm
          key={current.isNew ? 'new' : current.entry.ip}
          list={list}
          edited={current}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function EntryForm<R extends { ip: string }>({
  list,
  edited: { entry, isNew },
  onClose,
}: {
  list: IpList<R>;
  edited: Edited<R>;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState(entry);
  const saving = useMutation({
    mutationFn: () => list.add({ ...typed, ip: typed.ip.trim() }),
    async onSuccess() {
      // Leads and submissions show whether their address is blocked, too.
      await queries.invalidateQueries();
      toasts.add({ title: isNew ? `${typed.ip.trim()} ${list.words.added}` : `${typed.ip} saved` });
      onClose();
    },
  });
  const refusal = refusalOf(saving.error);

  function save(event: FormEvent) {
    event.preventDefault();
    saving.mutate();
  }

  function change(changed: Partial<R>) {
    setTyped({ ...typed, ...changed });
    if (saving.isError) saving.reset();
  }

  return (
    <form onSubmit={save} className="grid gap-4">
      {isNew && (
        <div className="grid gap-1.5">
          <Field
            label="IP address or range"
            error={refusal.at('ip')}
            hint="One address, such as 203.0.113.7, or all of a network: 203.0.113.0/24, 2001:db8::/48."
          >
            {(tied) => (
              <TextInput
                {...tied}
                required
                spellCheck={false}
                autoCapitalize="none"
                placeholder="203.0.113.7 or 203.0.113.0/24"
                value={typed.ip}
                onChange={(event) => change({ ip: event.target.value } as Partial<R>)}
                className="font-mono"
              />
            )}
          </Field>
          {refusal.isOnOtherList && (
            <Link
              to={list.other.to}
              search={{ q: typed.ip.trim() }}
              className="justify-self-start text-[0.8125rem] font-medium text-accent-text underline underline-offset-2"
            >
              {list.other.label}
            </Link>
          )}
        </div>
      )}
      {list.fields(typed, change, refusal.at)}
      {refusal.rest !== undefined && (
        <p role="alert" className="text-[0.8125rem] text-negative">
          {refusal.rest}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={saving.isPending}>
          {isNew ? list.words.save : 'Save'}
        </Button>
      </div>
    </form>
  );
}

type Refusal = {
  at: (field: string) => string | undefined;
  isOnOtherList: boolean;
  /** The message, unless a field shows it. */
  rest: string | undefined;
};

/** A 400 without details: the address is valid but on the other list. */
function refusalOf(error: Error | null): Refusal {
  if (error === null) return { at: () => undefined, isOnOtherList: false, rest: undefined };
  const details = error instanceof ApiProblem ? error.details : [];
  const isOnOtherList = error instanceof ApiProblem && error.status === 400 && details.length === 0;
  return {
    at: (field) => (isOnOtherList && field === 'ip' ? error.message : wrongAt(details, field)),
    isOnOtherList,
    rest: isOnOtherList || details.length > 0 ? undefined : error.message,
  };
}

function wrongAt(details: ApiProblem['details'], field: string): string | undefined {
  const found = details.find(({ path }) => path === field);
  return found && `This ${found.message}.`;
}
