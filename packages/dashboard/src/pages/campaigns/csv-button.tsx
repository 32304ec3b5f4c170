import { Download } from 'lucide-react';
import { useState } from 'react';
import { counted } from '../../format.ts';
import type { Frame } from '../../frame/frame.ts';
import { download } from '../../shared/download.ts';
import { Button } from '../../ui/button.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { tableQuestion } from './question.ts';
import { type CampaignsSearch, levelsOf } from './search.ts';
import { tableCsv } from './table-csv.ts';

/** The table with all its levels, a row for each combination. */
export function CsvButton({ frame, search }: { frame: Frame; search: CampaignsSearch }) {
  const [isBusy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    try {
      const dimensions = levelsOf(search);
      const csv = await tableCsv(tableQuestion(frame, search, { dimensions }), dimensions);
      const name = `campaigns-${new Date().toISOString().slice(0, 10)}.csv`;
      await download(new Response(csv.text), name);
      toasts.add({
        title: `${name} downloaded`,
        ...(csv.isWhole ? {} : { description: `It has the first ${counted(csv.rows, 'row')} only.` }),
      });
    } catch (error) {
      toastProblem('The table was not exported', error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button icon={<Download aria-hidden="true" />} isBusy={isBusy} onClick={save}>
      CSV
    </Button>
  );
}
