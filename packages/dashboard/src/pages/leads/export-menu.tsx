import { Braces, Download, FileSpreadsheet, MousePointerClick } from 'lucide-react';
import { useState } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ConversionsDialog } from './conversions-dialog.tsx';
import { type ExportFormat, exportLeads } from './export-leads.ts';
import { filtersOf, type ScopedSearch } from './queries.ts';

export function ExportMenu({ search }: { search: ScopedSearch }) {
  const isAdmin = useIsAdmin();
  const [isBusy, setBusy] = useState(false);
  const [isChoosing, setChoosing] = useState(false);

  async function exportAs(format: ExportFormat) {
    setBusy(true);
    await exportLeads(filtersOf(search), format);
    setBusy(false);
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
