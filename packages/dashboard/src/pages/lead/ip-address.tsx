import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldCheck, ShieldX } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useIsAdmin } from '../../api/role.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { type Lead, useBlockEntry, useWhitelistEntry } from './data.ts';
import { IpListDialog } from './ip-list-dialog.tsx';

export function IpAddress({ lead }: { lead: Lead }) {
  const ip = lead.contact_ip;
  const isBlocked = lead.is_ip_blocked === 1;
  const whitelisted = useWhitelistEntry(ip);
  const blocked = useBlockEntry(ip, isBlocked);
  const range = [blocked, whitelisted].find((entry) => entry !== undefined && entry.ip !== ip)?.ip;
  const isAdmin = useIsAdmin();
  return (
    <div className="grid gap-2">
      <div>
        <p className="text-xs text-ink-faint">IP address</p>
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-[0.8125rem] break-all">{ip}</span>
          <CopyIcon text={ip} label="Copy IP address" />
          {isBlocked && <Badge tone="negative">Blocked</Badge>}
          {whitelisted !== undefined && (
            <Badge tone="positive">
              {whitelisted.usage === 'test' ? 'Whitelisted for testing' : 'Whitelisted'}
            </Badge>
          )}
        </div>
      </div>
      {range !== undefined && (
        <p className="text-[0.8125rem] text-ink-soft">
          As part of the range{' '}
          <Link
            to={isBlocked ? '/blocked-ips' : '/whitelisted-ips'}
            search={{ q: range }}
            className="rounded-sm font-mono text-accent-text underline-offset-2 hover:underline"
          >
            {range}
          </Link>
        </p>
      )}
      {isAdmin && range === undefined && (
        <IpActions lead={lead} isBlocked={isBlocked} isWhitelisted={whitelisted !== undefined} />
      )}
    </div>
  );
}

function IpActions({
  lead,
  isBlocked,
  isWhitelisted,
}: {
  lead: Lead;
  isBlocked: boolean;
  isWhitelisted: boolean;
}) {
  const queryClient = useQueryClient();
  const [list, setList] = useState<'blocked' | 'whitelisted'>();
  const ip = lead.contact_ip;
  const removal = useMutation({
    mutationFn: async (from: 'blocked' | 'whitelisted') => {
      await (from === 'blocked'
        ? call('unblockIp', { params: { ip } })
        : call('unwhitelistIp', { params: { ip } }));
      await queryClient.invalidateQueries();
    },
    onSuccess: (_, from) =>
      toasts.add({
        title: from === 'blocked' ? `${ip} is unblocked` : `${ip} was removed from the whitelist`,
      }),
    onError: (error) => toastProblem('The IP lists were not changed', error),
  });
  const isRemoving = (from: string) => removal.isPending && removal.variables === from;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        icon={<ShieldX aria-hidden="true" />}
        isBusy={isRemoving('blocked')}
        onClick={() => (isBlocked ? removal.mutate('blocked') : setList('blocked'))}
      >
        {isBlocked ? 'Unblock' : 'Block'}
      </Button>
      <Button
        size="small"
        icon={<ShieldCheck aria-hidden="true" />}
        isBusy={isRemoving('whitelisted')}
        onClick={() => (isWhitelisted ? removal.mutate('whitelisted') : setList('whitelisted'))}
      >
        {isWhitelisted ? 'Remove from whitelist' : 'Whitelist'}
      </Button>
      <IpListDialog lead={lead} list={list} onClose={() => setList(undefined)} />
    </div>
  );
}
