import type { Integration } from '@leadtrail/contract/integrations';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Pencil, Plug, Plus, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/states.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastProblem } from '../../../ui/toast.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import { allPages } from '../parts/all-pages.ts';
import { useDeleting } from '../parts/use-deleting.ts';
import { useSwitching } from '../parts/use-switching.ts';
import { IntegrationDialog } from './integration-dialog.tsx';
import { KeyDialog, type NewKey } from './key-dialog.tsx';

type Asked = { what: 'rename' | 'rotate' | 'delete'; integration: Integration };

export function IntegrationsSection() {
  const queryClient = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [newKey, setNewKey] = useState<NewKey | null>(null);
  const about = useLastGiven(asked)?.integration;
  const integrations = useQuery({
    queryKey: queryKeys.integrations,
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const { integrations: rows, total } = await call('integrations', { query, signal });
        return { rows, total };
      }),
  });
  const changed = () => queryClient.invalidateQueries({ queryKey: queryKeys.integrations });
  const switchIntegration = useSwitching<Integration>(queryKeys.integrations, (id, enabled) =>
    call('updateIntegration', { params: { id }, body: { enabled } }),
  );
  const rotating = useMutation({
    mutationFn: ({ id }: Integration) => call('rotateIntegration', { params: { id } }),
    onSuccess({ name, api_key }) {
      setAsked(null);
      setNewKey({ name, key: api_key });
    },
    onError: (error) => toastProblem('The key was not changed', error),
    onSettled: changed,
  });
  const deleting = useDeleting<Integration>({
    list: queryKeys.integrations,
    send: (id) => call('deleteIntegration', { params: { id } }),
    onDeleted: () => setAsked(null),
  });

  const addButton = (
    <Button look="primary" icon={<Plus aria-hidden="true" />} onClick={() => setAdding(true)}>
      Add integration
    </Button>
  );
  return (
    <>
      <Card
        title="Integrations"
        hint="Servers and services that send you leads, such as a CRM or a form builder, each with its own key."
        actions={(integrations.data?.length ?? 0) > 0 && addButton}
        isFlush
      >
        {integrations.data === undefined ? (
          integrations.isError ? (
            <ErrorState error={integrations.error} onRetry={() => void integrations.refetch()} />
          ) : (
            <SkeletonRows rows={4} />
          )
        ) : integrations.data.length === 0 ? (
          <EmptyState icon={<Plug aria-hidden="true" />} title="No integrations yet" action={addButton}>
            Forms on your sites need none. Add one for each server that sends leads.
          </EmptyState>
        ) : (
          <Table
            caption="Integrations"
            columns={columnsOf({ onSwitch: switchIntegration, onAsk: setAsked })}
            rows={integrations.data}
            rowKey={({ id }) => id}
          />
        )}
      </Card>
      <IntegrationDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        integration={null}
        onSaved={(saved) => {
          void changed();
          if ('api_key' in saved) setNewKey({ name: saved.name, key: saved.api_key });
        }}
      />
      <IntegrationDialog
        isOpen={asked?.what === 'rename'}
        onClose={() => setAsked(null)}
        integration={about ?? null}
        onSaved={() => void changed()}
      />
      <ConfirmDialog
        isOpen={asked?.what === 'rotate'}
        onClose={() => setAsked(null)}
        onConfirm={() => about && rotating.mutate(about)}
        isBusy={rotating.isPending}
        title={`Give ${about?.name} a new key?`}
        action="Create new key"
      >
        <p>
          The old key stops working at once. Leads sent with it are refused until the new one is in place.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked?.what === 'delete'}
        onClose={() => setAsked(null)}
        onConfirm={() => about && deleting.mutate(about)}
        isBusy={deleting.isPending}
        title={`Delete ${about?.name}?`}
        action="Delete integration"
      >
        <p>Its key stops working at once. Leads it has already sent are kept.</p>
        <p>This cannot be undone.</p>
      </ConfirmDialog>
      <KeyDialog newKey={newKey} onClose={() => setNewKey(null)} />
    </>
  );
}

function columnsOf({
  onSwitch,
  onAsk,
}: {
  onSwitch: (integration: Integration, isOn: boolean) => void;
  onAsk: (asked: Asked) => void;
}): Column<Integration>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      cell: (integration) => (
        <div className="grid min-w-0 gap-0.5">
          <span className="font-medium [overflow-wrap:anywhere]">{integration.name}</span>
          <code className="font-mono text-xs text-ink-faint">{integration.key_prefix}…</code>
          <span className="text-xs text-ink-faint @lg:hidden">
            <LastUsed integration={integration} />
          </span>
        </div>
      ),
    },
    {
      key: 'used',
      title: 'Last used',
      isFrom: 'sm',
      cell: (integration) => <LastUsed integration={integration} />,
    },
    {
      key: 'enabled',
      title: 'On',
      className: 'w-16',
      cell: (integration) => (
        <Switch
          isOn={integration.enabled}
          onChange={(isOn) => onSwitch(integration, isOn)}
          label={`${integration.name} is on`}
        />
      ),
    },
    {
      key: 'actions',
      title: '',
      label: 'Actions',
      className: 'w-12',
      cell: (integration) => (
        <Menu
          trigger={
            <Button
              look="ghost"
              aria-label={`Actions for ${integration.name}`}
              icon={<Ellipsis aria-hidden="true" />}
            />
          }
          entries={[
            {
              label: 'Rename',
              icon: <Pencil aria-hidden="true" />,
              onSelect: () => onAsk({ what: 'rename', integration }),
            },
            {
              label: 'New key',
              icon: <RotateCw aria-hidden="true" />,
              onSelect: () => onAsk({ what: 'rotate', integration }),
            },
            {
              label: 'Delete',
              icon: <Trash2 aria-hidden="true" />,
              onSelect: () => onAsk({ what: 'delete', integration }),
              isDangerous: true,
            },
          ]}
        />
      ),
    },
  ];
}

function LastUsed({ integration: { last_used_at } }: { integration: Integration }) {
  if (last_used_at === null) return <span className="text-ink-faint">Never used</span>;
  return <Time value={last_used_at} isAgo />;
}
