import { Link, useNavigate } from '@tanstack/react-router';
import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { formatNumber } from '../../../format.ts';
import { readableDomain } from '../../../readable-hosts.ts';
import { settingsPlace } from '../../../shared/settings-place.ts';
import { useSearchParams } from '../../../shared/use-search-params.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { SearchInput } from '../../../ui/search-input.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { useSwitching } from '../parts/use-switching.ts';
import type { SettingsSearch } from '../search.ts';
import { SiteDialog } from './site-dialog.tsx';
import type { Form, Site } from './site-queries.ts';

/** Shorter lists need no search. */
const SEARCHABLE_FROM = 8;

export function SiteList({ sites, forms }: { sites: readonly Site[]; forms: readonly Form[] }) {
  const [{ q = '' }, changeSearch] = useSearchParams<SettingsSearch>();
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const switchSite = useSwitching<Site>(queryKeys.sites, (id, enabled) =>
    call('updateSite', { params: { id }, body: { enabled } }),
  );
  const shown = sites.filter((site) => matches(site, q));
  const addButton = (
    <Button look="primary" icon={<Plus aria-hidden="true" />} onClick={() => setAdding(true)}>
      Add site
    </Button>
  );

  const columns: Column<Site>[] = [
    { key: 'name', title: 'Site', cell: (site) => <SiteName site={site} /> },
    { key: 'domains', title: 'Domains', isFrom: 'md', cell: (site) => <Domains site={site} /> },
    {
      key: 'forms',
      title: 'Forms',
      isNumber: true,
      isFrom: 'sm',
      cell: (site) => formatNumber(forms.filter((form) => form.site_id === site.id).length),
    },
    {
      key: 'enabled',
      title: 'On',
      className: 'w-16',
      cell: (site) => (
        <Switch
          isOn={site.enabled}
          onChange={(isOn) => switchSite(site, isOn)}
          label={`${site.name} is on`}
        />
      ),
    },
  ];

  return (
    <>
      <Card
        title="Sites and forms"
        hint="The websites that may send visits and leads."
        actions={sites.length > 0 && addButton}
        isFlush
      >
        {(sites.length >= SEARCHABLE_FROM || q !== '') && (
          <div className="px-4 pb-3 sm:px-5">
            <SearchInput
              label="Search sites"
              placeholder="Name, key or domain"
              value={q}
              onSearch={(typed) => changeSearch({ q: typed })}
            />
          </div>
        )}
        {sites.length === 0 ? (
          <EmptyState icon={<Globe aria-hidden="true" />} title="No sites yet" action={addButton}>
            Add your first website and paste its code into your pages. Visits and leads appear within seconds.
          </EmptyState>
        ) : shown.length === 0 ? (
          <EmptyState title={`No site matches “${q}”`} />
        ) : (
          <Table caption="Sites" columns={columns} rows={shown} rowKey={(site) => site.id} />
        )}
      </Card>
      <SiteDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        site={null}
        onSaved={(site) => navigate({ ...settingsPlace('sites', { site: site.id }), resetScroll: false })}
      />
    </>
  );
}

function matches({ name, site_key, domains }: Site, q: string): boolean {
  const part = q.trim().toLowerCase();
  return [name, site_key, ...domains, ...domains.map(readableDomain)].some((text) =>
    text.toLowerCase().includes(part),
  );
}

function SiteName({ site }: { site: Site }) {
  return (
    <div className="grid min-w-0 gap-0.5">
      <Link
        {...settingsPlace('sites', { site: site.id })}
        className="justify-self-start py-0.5 font-medium text-ink underline-offset-2 [overflow-wrap:anywhere] hover:underline"
      >
        {site.name}
      </Link>
      <code className="font-mono text-xs break-all text-ink-faint">{site.site_key}</code>
      <div className="@2xl:hidden">
        <Domains site={site} />
      </div>
    </div>
  );
}

const DOMAINS_SHOWN = 3;

function Domains({ site: { domains } }: { site: Site }) {
  if (domains.length === 0) return <span className="text-ink-faint">None: forms are refused</span>;
  const more = domains.length - DOMAINS_SHOWN;
  return (
    <span className="text-ink-soft [overflow-wrap:anywhere]">
      {domains.slice(0, DOMAINS_SHOWN).map(readableDomain).join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </span>
  );
}
