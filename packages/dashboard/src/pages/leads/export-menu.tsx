import { Braces, Download, FileSpreadsheet } from 'lucide-react';
import { useState } from 'react';
import { addressOf, send } from '../../api/client.ts';
import { download } from '../../shared/download.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { filtersOf, type ScopedSearch } from './queries.ts';

type Format = 'csv' | 'json';

export function ExportMenu({ search }: { search: ScopedSearch }) {
  const [isBusy, setBusy] = useState(false);

  async function exportAs(format: Format) {
    setBusy(true);
    try {
      // Not a plain link: the API key goes in a header.
      const address = addressOf('exportLeads', { query: { ...filtersOf(search), format } });
      const response = await send('GET', address);
      const name = `leads-${new Date().toISOString().slice(0, 10)}.${format}`;
      download(await response.blob(), name);
      toasts.add({ title: `${name} downloaded` });
    } catch (error) {
      toastProblem('The leads were not exported', error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden="true" />} isBusy={isBusy}>
          {isBusy ? 'Exporting…' : 'Export'}
        </Button>
      }
      entries={[
        {
          label: 'CSV, for spreadsheets',
          icon: <FileSpreadsheet aria-hidden="true" />,
          onSelect: () => exportAs('csv'),
        },
        {
          label: 'JSON, for programs',
          icon: <Braces aria-hidden="true" />,
          onSelect: () => exportAs('json'),
        },
      ]}
    />
  );
}
