import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiProblem, call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toasts } from '../../ui/toast.tsx';
import type { Lead } from './data.ts';

type List = 'blocked' | 'whitelisted';
type Usage = 'internal' | 'test';

const TEXTS = {
  blocked: {
    title: 'Block this IP address',
    explanation:
      'Submissions from this address go to Rejected and are not forwarded. The sender does not notice.',
    note: 'Reason',
    action: 'Block',
    swap: 'Remove from whitelist and block',
    done: 'is blocked',
  },
  whitelisted: {
    title: 'Whitelist this IP address',
    explanation:
      'For your own offices and tools, which are then never rate-limited or blocked automatically.',
    note: 'Note',
    action: 'Whitelist',
    swap: 'Unblock and whitelist',
    done: 'is whitelisted',
  },
} as const;

const USAGES = [
  { value: 'internal', label: 'Internal: submissions become leads' },
  { value: 'test', label: 'Test: submissions go to Testing' },
] as const;

export function IpListDialog({
  lead,
  list,
  onClose,
}: {
  lead: Lead;
  list: List | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog
      isOpen={list !== undefined}
      onClose={onClose}
      title={list === undefined ? '' : TEXTS[list].title}
      description={list === undefined ? '' : TEXTS[list].explanation}
    >
      {list !== undefined && <IpListForm lead={lead} list={list} onClose={onClose} />}
    </Dialog>
  );
}

function IpListForm({ lead, list, onClose }: { lead: Lead; list: List; onClose: () => void }) {
  const queryClient = useQueryClient();
  const texts = TEXTS[list];
  const [note, setNote] = useState('');
  const [usage, setUsage] = useState<Usage>('internal');

  const adding = useMutation({
    mutationFn: async ({ isSwap }: { isSwap: boolean }) => {
      if (isSwap) await takeOff(list === 'blocked' ? 'whitelisted' : 'blocked', lead.contact_ip);
      await add(list, lead, { note: note.trim(), usage });
    },
    // Also after a failure: half of a swap may be done.
    onSettled: () => queryClient.invalidateQueries(),
    onSuccess() {
      toasts.add({ title: `${lead.contact_ip} ${texts.done}` });
      onClose();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    adding.mutate({ isSwap: false });
  }

  const { error } = adding;
  // A 400 without details: the address is valid but on the other list.
  const isOnOtherList = error instanceof ApiProblem && error.status === 400 && error.details.length === 0;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p className="font-mono text-[0.8125rem] break-all">{lead.contact_ip}</p>
      <Field label={texts.note} hint="Optional. Shown in the list.">
        {(tied) => (
          <TextInput
            {...tied}
            value={note}
            maxLength={1024}
            onChange={(event) => setNote(event.target.value)}
          />
        )}
      </Field>
      {list === 'whitelisted' && (
        <Field label="Used for">
          {(tied) => <Select {...tied} value={usage} choices={USAGES} onChange={setUsage} />}
        </Field>
      )}
      {error !== null && (
        <div role="alert" className="grid gap-2 rounded-lg bg-negative-soft p-3 text-negative">
          <p>{error.message}</p>
          {isOnOtherList && (
            <Button
              size="small"
              className="justify-self-start"
              isBusy={adding.isPending}
              onClick={() => adding.mutate({ isSwap: true })}
            >
              {texts.swap}
            </Button>
          )}
        </div>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look={list === 'blocked' ? 'danger' : 'primary'} type="submit" isBusy={adding.isPending}>
          {texts.action}
        </Button>
      </div>
    </form>
  );
}

async function add(list: List, lead: Lead, { note, usage }: { note: string; usage: Usage }): Promise<void> {
  const ip = lead.contact_ip;
  if (list === 'whitelisted') await call('whitelistIp', { body: { ip, note, usage } });
  else
    await call('blockIp', {
      body: { ip, reason: note, country: lead.contact_country_name, referer: lead.referer.slice(0, 2048) },
    });
}

async function takeOff(list: List, ip: string): Promise<void> {
  await (list === 'blocked'
    ? call('unblockIp', { params: { ip } })
    : call('unwhitelistIp', { params: { ip } }));
}
