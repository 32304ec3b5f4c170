import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { blockedIps } from '@leadtrail/contract/ip-lists';
import { ShieldX } from 'lucide-react';
import { call } from '../../api/client.ts';
import { countryName } from '../../format.ts';
import { Field, TextInput } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import { Address } from './address.tsx';
import type { IpList } from './ip-list.ts';

type BlockedIp = AnswerOf<typeof blockedIps>['blocked_ips'][number];

export const BLOCKED: IpList<BlockedIp> = {
  key: 'blocked-ips',
  title: 'Blocked IPs',
  hint: 'Submissions from these addresses and ranges are rejected. Senders still see the usual thank-you page.',
  icon: <ShieldX aria-hidden="true" />,
  words: {
    add: 'Block an IP',
    save: 'Block',
    added: 'is blocked',
    removed: 'is no longer blocked',
    remove: 'Unblock',
  },
  empty: {
    title: 'No address is blocked',
    text: 'Block an address or a range that sends spam: its submissions then go to Rejected.',
  },
  columns: [
    { key: 'ip', title: 'IP address', cell: (row) => <AddressCell row={row} />, className: 'max-w-64' },
    {
      key: 'reason',
      title: 'Reason',
      cell: (row) => row.reason || <None />,
      isFrom: 'sm',
      className: 'max-w-72 break-words',
    },
    { key: 'country', title: 'Country', cell: (row) => <Country code={row.country} />, isFrom: 'lg' },
    {
      key: 'referer',
      title: 'Page',
      cell: (row) => (row.referer === '' ? <None /> : <WebLink address={row.referer} />),
      isFrom: 'xl',
      className: 'max-w-72',
    },
    { key: 'blocked_at', title: 'Blocked', cell: (row) => <Time value={row.blocked_at} />, isFrom: 'sm' },
  ],
  fresh: { ip: '', blocked_at: '', reason: '', country: '', referer: '' },
  fields: (entry, change, errorAt) => (
    <>
      <Field label="Reason (optional)" error={errorAt('reason')}>
        {(tied) => (
          <TextInput
            {...tied}
            value={entry.reason}
            placeholder="Spam"
            onChange={(event) => change({ reason: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Country (optional)" error={errorAt('country')}>
          {(tied) => (
            <TextInput
              {...tied}
              value={entry.country}
              placeholder="DE"
              onChange={(event) => change({ country: event.target.value })}
            />
          )}
        </Field>
        <Field label="Page (optional)" error={errorAt('referer')}>
          {(tied) => (
            <TextInput
              {...tied}
              value={entry.referer}
              placeholder="Where it came from"
              onChange={(event) => change({ referer: event.target.value })}
            />
          )}
        </Field>
      </div>
    </>
  ),
  other: { to: '/whitelisted-ips', label: 'Open whitelisted IPs' },
  async list(query, signal) {
    const { blocked_ips: rows, total } = await call('blockedIps', { query, signal });
    return { rows, total };
  },
  add: ({ ip, reason, country, referer }) => call('blockIp', { body: { ip, reason, country, referer } }),
  remove: (ip) => call('unblockIp', { params: { ip } }),
};

function AddressCell({ row }: { row: BlockedIp }) {
  return (
    <div className="grid min-w-0 justify-items-start">
      <Address ip={row.ip} leads="/rejected" title="Show rejected leads from this address" />
      <span className="max-w-full text-[0.8125rem] break-words text-ink-soft @lg:hidden">{row.reason}</span>
      <span className="text-[0.8125rem] text-ink-faint @lg:hidden">
        <Time value={row.blocked_at} />
      </span>
    </div>
  );
}

function Country({ code }: { code: string }) {
  if (code === '') return <None />;
  return <span className="whitespace-nowrap">{countryName(code)}</span>;
}

function None() {
  return <span className="text-ink-faint">–</span>;
}
