import { Download } from 'lucide-react';
import { useState } from 'react';
import { addressOf, send } from '../../api/client.ts';
import type { Frame } from '../../frame/frame.ts';
import { download } from '../../shared/download.ts';
import { Button } from '../../ui/button.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { tableQuestion } from './question.ts';
import { type CampaignsSearch, levelsOf } from './search.ts';

const ROWS_MAX = 10_000;

/** The table with all its levels, a row for each combination. */
export function CsvButton({ frame, search }: { frame: Frame; search: CampaignsSearch }) {
  const [isBusy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    try {
      const body = { ...tableQuestion(frame, search, { dimensions: levelsOf(search) }), limit: ROWS_MAX };
      const response = await send('POST', addressOf('askQuestion'), { body, accept: 'text/csv' });
      const name = `campaigns-${new Date().toISOString().slice(0, 10)}.csv`;
      await download(response, name);
      toasts.add({ title: `${name} downloaded` });
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
