import { Link } from '@tanstack/react-router';
import { ArrowLeft, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { formatNumber } from '../../../format.ts';
import { readableDomain } from '../../../readable-hosts.ts';
import { settingsPlace } from '../../../shared/settings-place.ts';
import { useSearchParams } from '../../../shared/use-search-params.ts';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Note } from '../parts/note.tsx';
import { SwitchRow } from '../parts/switch-row.tsx';
import { useDeleting } from '../parts/use-deleting.ts';
import { useSwitching } from '../parts/use-switching.ts';
import type { SettingsSearch } from '../search.ts';
import { InstallCheck } from './install-check.tsx';
import { SiteCode } from './site-code.tsx';
import { SiteDialog } from './site-dialog.tsx';
import { SiteForms } from './site-forms.tsx';
import type { Form, Site } from './site-queries.ts';

export function SiteDetails({
  id,
  sites,
  forms,
}: {
  id: number;
  sites: readonly Site[];
  forms: readonly Form[];
}) {
  const site = sites.find((each) => each.id === id);
  const ownForms = forms.filter((form) => form.site_id === id);
  return (
    <>
      <Link
        {...settingsPlace('sites')}
        className="inline-flex h-8 items-center gap-1.5 justify-self-start rounded-md font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        All sites
      </Link>
      {site === undefined ? (
        <Card isFlush>
          <EmptyState
            title="Site not found"
            action={
              <Link {...settingsPlace('sites')} className={buttonClasses()}>
                Go to all sites
              </Link>
            }
          >
            It may have been deleted.
          </EmptyState>
        </Card>
      ) : (
        <>
          <SiteCard site={site} formCount={ownForms.length} />
          <SiteForms site={site} forms={ownForms} />
          <SiteCode site={site} />
          <InstallCheck site={site} sites={sites} forms={ownForms} />
        </>
      )}
    </>
  );
}

function SiteCard({ site, formCount }: { site: Site; formCount: number }) {
  const [, changeSearch] = useSearchParams<SettingsSearch>();
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const switchSite = useSwitching<Site>(queryKeys.sites, (id, enabled) =>
    call('updateSite', { params: { id }, body: { enabled } }),
  );
  const deleting = useDeleting<Site>({
    list: queryKeys.sites,
    alsoStale: queryKeys.forms,
    send: (id) => call('deleteSite', { params: { id } }),
    onDeleted: () => changeSearch({ site: undefined, code: undefined }, { isReplacing: true }),
  });
  return (
    <Card
      title={site.name}
      actions={
        <div className="flex gap-2">
          <Button size="small" icon={<Pencil aria-hidden="true" />} onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Button
            size="small"
            look="danger"
            icon={<Trash2 aria-hidden="true" />}
            onClick={() => setDeleting(true)}
          >
            Delete
          </Button>
        </div>
      }
    >
      <div className="grid gap-5">
        <SwitchRow
          label="Accept leads from this site"
          hint="While this is off, submissions from its forms are refused."
          isOn={site.enabled}
          onChange={(isOn) => switchSite(site, isOn)}
        />
        <dl className="grid gap-4 sm:grid-cols-2">
          <div className="grid content-start gap-1">
            <dt className="text-[0.8125rem] font-medium">Site key</dt>
            <dd className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-[0.8125rem] break-all">{site.site_key}</code>
              <CopyButton text={site.site_key} label="Copy key" />
            </dd>
          </div>
          <div className="grid content-start gap-1">
            <dt className="text-[0.8125rem] font-medium">Domains</dt>
            {site.domains.map((domain) => (
              <dd key={domain} className="font-mono text-[0.8125rem] break-all">
                {readableDomain(domain)}
              </dd>
            ))}
            {site.domains.length === 0 && <dd className="text-ink-faint">None yet</dd>}
          </div>
        </dl>
        {site.domains.length === 0 && (
          <Note tone="warning">
            Visits are counted, but forms are refused until their domain is listed here.
          </Note>
        )}
      </div>
      <SiteDialog isOpen={isEditing} onClose={() => setEditing(false)} site={site} />
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => deleting.mutate(site)}
        isBusy={deleting.isPending}
        title={`Delete ${site.name}?`}
        action="Delete site"
      >
        <p>
          {formCount === 0
            ? 'It has no forms.'
            : formCount === 1
              ? 'Its form is deleted, too: pages that still use it can no longer send leads.'
              : `Its ${formatNumber(formCount)} forms are deleted, too: pages that still use them can no longer send leads.`}{' '}
          Leads and figures are kept.
        </p>
        <p>This cannot be undone.</p>
      </ConfirmDialog>
    </Card>
  );
}
