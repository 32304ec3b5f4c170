import type { SharedLink } from '@leadtrail/contract/shared-links';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Share2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { SHARED_PATH } from '../../../api/shared-link.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import { allPages } from '../parts/all-pages.ts';
import { CopyLine } from '../parts/code-block.tsx';
import { useDeleting } from '../parts/use-deleting.ts';
import { type NewLink, SharedLinkDialog } from './shared-link-dialog.tsx';

export function SharedLinksSection() {
  const queryClient = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<SharedLink | null>(null);
  const [made, setMade] = useState<NewLink | null>(null);
  const about = useLastGiven(asked);
  const links = useQuery({
    queryKey: queryKeys.sharedLinks,
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const { shared_links: rows, total } = await call('sharedLinks', { query, signal });
        return { rows, total };
      }),
  });
  const deleting = useDeleting<SharedLink>({
    list: queryKeys.sharedLinks,
    send: (id) => call('deleteSharedLink', { params: { id } }),
    onDeleted: () => setAsked(null),
  });
  const addButton = (
    <Button look="primary" icon={<Plus aria-hidden="true" />} onClick={() => setAdding(true)}>
      Create link
    </Button>
  );
  return (
    <>
      <Card
        title="Shared links"
        hint="Figures for clients: only the sites you choose, without leads or settings."
        actions={(links.data?.length ?? 0) > 0 && addButton}
        isFlush
      >
        {links.data === undefined ? (
          links.isError ? (
            <ErrorState error={links.error} onRetry={() => void links.refetch()} />
          ) : (
            <SkeletonRows rows={4} />
          )
        ) : links.data.length === 0 ? (
          <EmptyState icon={<Share2 aria-hidden="true" />} title="No shared links yet" action={addButton}>
            Anyone with a link can see Overview and Campaigns of the sites you choose.
          </EmptyState>
        ) : (
          <Table
            caption="Shared links"
            columns={columnsOf(setAsked)}
            rows={links.data}
            rowKey={({ id }) => id}
          />
        )}
      </Card>
      <SharedLinkDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onMade={(link) => {
          void queryClient.invalidateQueries({ queryKey: queryKeys.sharedLinks });
          setMade(link);
        }}
      />
      <LinkDialog made={made} onClose={() => setMade(null)} />
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => about && deleting.mutate(about)}
        isBusy={deleting.isPending}
        title={`Revoke the link of ${about?.name}?`}
        action="Revoke"
      >
        <p>It stops working at once. You can create another.</p>
      </ConfirmDialog>
    </>
  );
}

function LinkDialog({ made, onClose }: { made: NewLink | null; onClose: () => void }) {
  const shown = useLastGiven(made);
  return (
    <Dialog isOpen={made !== null} onClose={onClose} title={`Link for ${shown?.name}`} width="wide">
      <div className="grid min-w-0 gap-4">
        <CopyLine
          title="Link"
          text={`${location.origin}${SHARED_PATH}#${shown?.token}`}
          hint="Copy it now: it is shown only once. Anyone with it can see the figures."
        />
        <Button look="primary" className="justify-self-end" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function columnsOf(onRevoke: (link: SharedLink) => void): Column<SharedLink>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      cell: ({ name, sites }) => (
        <span className="grid min-w-0 gap-0.5">
          <span className="font-medium wrap-anywhere">{name}</span>
          <span className="text-[0.8125rem] wrap-anywhere text-ink-faint">
            {sites.map((site) => site.name).join(', ')}
          </span>
        </span>
      ),
    },
    {
      key: 'expires',
      title: 'Valid until',
      cell: ({ expires_at, is_expired }) =>
        is_expired ? <Badge tone="warning">Expired</Badge> : <Time value={expires_at} />,
    },
    {
      key: 'actions',
      title: '',
      label: 'Actions',
      className: 'w-px',
      cell: (link) => (
        <Button size="small" aria-label={`Revoke the link of ${link.name}`} onClick={() => onRevoke(link)}>
          Revoke
        </Button>
      ),
    },
  ];
}
