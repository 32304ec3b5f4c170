import type { AdPlatform, ConversionGoal } from '@leadtrail/contract/conversions';
import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { addressOf, send } from '../../api/client.ts';
import { download } from '../../shared/download.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';

const PLATFORMS: readonly { value: AdPlatform; label: string }[] = [
  { value: 'google', label: 'Google Ads' },
  { value: 'meta', label: 'Meta' },
  { value: 'microsoft', label: 'Microsoft Advertising' },
];
const GOALS: readonly { value: ConversionGoal; label: string }[] = [
  { value: 'lead', label: 'Every lead' },
  { value: 'qualified', label: 'Leads that became qualified' },
  { value: 'won', label: 'Leads that were won' },
];

/** Downloads offline conversions in the file format of an ad platform. */
export function ConversionsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const againId = useId();
  const [platform, setPlatform] = useState<AdPlatform>('google');
  const [goal, setGoal] = useState<ConversionGoal>('lead');
  const [conversionName, setConversionName] = useState('');
  const [again, setAgain] = useState(false);
  const [isBusy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    const name = `conversions-${platform}-${goal}-${new Date().toISOString().slice(0, 10)}.csv`;
    try {
      const query = { platform, goal, name: conversionName.trim(), ...(again ? { again } : {}) };
      await download(await send('GET', addressOf('exportConversions', { query })), name);
      toasts.add({ title: `${name} downloaded` });
      onClose();
    } catch (error) {
      toastProblem('The conversions were not exported', error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Conversions for ad platforms"
      description="Tell a platform which of its clicks became leads, so that it finds more of them."
    >
      <Field label="Platform" hint="The file has only leads that came from a click on one of its ads.">
        {(tied) => <Select {...tied} value={platform} choices={PLATFORMS} onChange={setPlatform} />}
      </Field>
      <Field label="What counts">
        {(tied) => <Select {...tied} value={goal} choices={GOALS} onChange={setGoal} />}
      </Field>
      <Field label="Conversion name" hint="As named on the platform. If empty, a default name is used.">
        {(tied) => (
          <TextInput
            {...tied}
            maxLength={100}
            value={conversionName}
            onChange={(event) => setConversionName(event.target.value)}
          />
        )}
      </Field>
      <div className="flex items-start gap-2.5">
        <Checkbox id={againId} isChecked={again} onChange={setAgain} />
        <label htmlFor={againId} className="grid gap-0.5">
          Include conversions exported before
          <span className="text-[0.8125rem] text-ink-faint">
            Otherwise each conversion is exported only once.
          </span>
        </label>
      </div>
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          icon={<Download aria-hidden="true" />}
          isBusy={isBusy}
          onClick={() => void save()}
        >
          Download
        </Button>
      </div>
    </Dialog>
  );
}
