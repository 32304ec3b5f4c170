import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { whitelistedIps } from '@leadtrail/contract/ip-lists';
import { FlaskConical, House, ShieldCheck } from 'lucide-react';
import { call } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { Address } from './address.tsx';
import type { IpList } from './ip-list.ts';

type WhitelistedIp = AnswerOf<typeof whitelistedIps>['whitelisted_ips'][number];
type Usage = WhitelistedIp['usage'];

const USAGES: readonly { usage: Usage; label: string; meaning: string }[] = [
  {
    usage: 'internal',
    label: 'Internal',
    meaning:
      'For your team. Submissions become leads as usual and are never rate-limited or blocked automatically.',
  },
  {
    usage: 'test',
    label: 'Test',
    meaning: 'For trying out forms. Submissions go to Testing and never become leads.',
  },
];

export const WHITELISTED: IpList<WhitelistedIp> = {
  key: 'whitelisted-ips',
  title: 'Whitelisted IPs',
  hint: 'Trusted addresses and ranges, which are never rate-limited or blocked automatically.',
  icon: <ShieldCheck aria-hidden="true" />,
  words: {
    add: 'Whitelist an IP',
    save: 'Whitelist',
    added: 'is whitelisted',
    removed: 'is no longer whitelisted',
    remove: 'Remove',
  },
  empty: {
    title: 'No address is whitelisted',
    text: 'Add your office so that it is never blocked, or your own address to try out forms.',
  },
  columns: [
    { key: 'ip', title: 'IP address', cell: (row) => <AddressCell row={row} />, className: 'max-w-64' },
    { key: 'usage', title: 'Usage', cell: ({ usage }) => <UsageBadge usage={usage} /> },
    {
      key: 'note',
      title: 'Note',
      cell: (row) => row.note || <span className="text-ink-faint">–</span>,
      isFrom: 'sm',
      className: 'max-w-96 break-words',
    },
    {
      key: 'whitelisted_at',
      title: 'Added',
      cell: (row) => <Time value={row.whitelisted_at} />,
      isFrom: 'sm',
    },
  ],
  fresh: { ip: '', whitelisted_at: '', note: '', usage: 'internal' },
  fields: (entry, change, errorAt) => (
    <>
      <UsageChoice usage={entry.usage} onChange={(usage) => change({ usage })} />
      <Field label="Note (optional)" error={errorAt('note')}>
        {(tied) => (
          <TextInput
            {...tied}
            value={entry.note}
            placeholder="Berlin office"
            onChange={(event) => change({ note: event.target.value })}
          />
        )}
      </Field>
    </>
  ),
  other: { to: '/blocked-ips', label: 'Open blocked IPs' },
  async list(query, signal) {
    const { whitelisted_ips: rows, total } = await call('whitelistedIps', { query, signal });
    return { rows, total };
  },
  add: ({ ip, note, usage }) => call('whitelistIp', { body: { ip, note, usage } }),
  remove: (ip) => call('unwhitelistIp', { params: { ip } }),
};

function AddressCell({ row }: { row: WhitelistedIp }) {
  return (
    <div className="grid min-w-0 justify-items-start">
      {row.usage === 'test' ? (
        <Address ip={row.ip} leads="/testing" title="Show testing leads from this address" />
      ) : (
        <Address ip={row.ip} />
      )}
      <span className="max-w-full text-[0.8125rem] break-words text-ink-soft @lg:hidden">{row.note}</span>
      <span className="text-[0.8125rem] text-ink-faint @lg:hidden">
        <Time value={row.whitelisted_at} />
      </span>
    </div>
  );
}

function UsageBadge({ usage }: { usage: Usage }) {
  return usage === 'test' ? (
    <Badge tone="info">
      <FlaskConical aria-hidden="true" />
      Test
    </Badge>
  ) : (
    <Badge>
      <House aria-hidden="true" />
      Internal
    </Badge>
  );
}

function UsageChoice({ usage, onChange }: { usage: Usage; onChange: (usage: Usage) => void }) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-[0.8125rem] font-medium">Usage</legend>
      {USAGES.map((each) => (
        <label
          key={each.usage}
          className="grid grid-cols-[auto_1fr] gap-x-2.5 rounded-lg border border-line-strong px-3 py-2.5 has-checked:border-accent has-checked:bg-accent-soft/40"
        >
          <input
            type="radio"
            name="usage"
            checked={usage === each.usage}
            onChange={() => onChange(each.usage)}
            className="mt-0.5 size-4 accent-accent"
          />
          <span className="font-medium">{each.label}</span>
          <span className="col-start-2 text-[0.8125rem] text-ink-soft">{each.meaning}</span>
        </label>
      ))}
    </fieldset>
  );
}
