import { DIMENSIONS } from '@leadtrail/contract/question-fields';
import { Printer } from 'lucide-react';
import { useViewer } from '../api/role.ts';
import { formatDate } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { spanText } from './compared-period.ts';
import { comparedDays } from './days.ts';
import type { Frame } from './frame.ts';
import { useShownDays } from './use-shown-days.ts';
import { useWorkspace } from './use-workspace.ts';
import { useValueName } from './value-name.ts';

export function PrintButton() {
  return (
    <Button className="max-sm:hidden" icon={<Printer aria-hidden="true" />} onClick={() => print()}>
      Print
    </Button>
  );
}

/** In print only, in place of the frame bar: the sites, days and filters of the figures. */
export function PrintTitle({ frame }: { frame: Frame }) {
  const { sites } = useWorkspace();
  const nameOf = useValueName();
  const shared = useViewer().data?.shared;
  const shown = useShownDays(frame.when);
  const named = frame.sites.map((key) => sites.find((site) => site.key === key)?.name ?? key);
  const all = shared === undefined ? 'All sites' : shared.sites.map(({ name }) => name).join(', ');
  const compared = shown?.days && comparedDays(shown.days, frame.when, frame.compare);
  return (
    <section aria-label="Printed page" className="hidden gap-1 border-b border-line pb-3 print:grid">
      <p className="text-base font-semibold">{named.length === 0 ? all : named.join(', ')}</p>
      <p>
        {shown?.days === undefined ? 'All time' : spanText(shown.days)}
        {compared !== undefined && `, compared with ${spanText(compared)}`}
      </p>
      {frame.filters.length > 0 && (
        <p>
          Only{' '}
          {frame.filters.map((filter) => `${DIMENSIONS[filter.dimension]}: ${nameOf(filter)}`).join(', ')}
        </p>
      )}
      <p className="text-ink-faint">
        Days in {shown?.timeZone ?? 'UTC'}. Printed on {formatDate(Date.now())}.
      </p>
    </section>
  );
}
