import { Braces, Download, FileSpreadsheet, MousePointerClick } from 'lucide-react';
import { useState } from 'react';
import { addressOf, send } from '../../api/client.ts';
import { useIsAdmin } from '../../api/role.ts';
import { download } from '../../shared/download.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { ConversionsDialog } from './conversions-dialog.tsx';
import { filtersOf, type ScopedSearch } from './queries.ts';

type Format = 'csv' | 'json';

export function ExportMenu({ search }: { search: ScopedSearch }) {
  const isAdmin = useIsAdmin();
  const [isBusy, setBusy] = useState(false);
  const [isChoosing, setChoosing] = useState(false);

  async function exportAs(format: Format) {
    setBusy(true);
    try {
      const address = addressOf('exportLeads', { query: { ...filtersOf(search), format } });
      const name = `leads-${new Date().toISOString().slice(0, 10)}.${format}`;
      await download(await send('GET', address), name);
      toasts.add({ title: `${name} downloaded` });
    } catch (error) {
      toastProblem('The leads were not exported', error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
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
          ...(isAdmin
            ? [
                {
                  label: 'Conversions, for ad platforms…',
                  icon: <MousePointerClick aria-hidden="true" />,
                  onSelect: () => setChoosing(true),
                },
              ]
            : []),
        ]}
      />
      <ConversionsDialog isOpen={isChoosing} onClose={() => setChoosing(false)} />
    </>
  );
}
