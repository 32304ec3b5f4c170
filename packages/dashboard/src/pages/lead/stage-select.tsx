import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { useMoveStage } from '../../shared/use-move-stage.ts';
import { Select } from '../../ui/select.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import type { Lead } from './data.ts';

const CHOICES = LEAD_STATUSES.map((value) => ({
  value,
  label: value === 'fake' ? 'Fake (spam)' : statusName(value),
}));

export function StageSelect({ lead }: { lead: Lead }) {
  const moveStage = useMoveStage();
  return (
    <div className="w-40">
      <Select label="Stage" value={lead.status} choices={CHOICES} onChange={(to) => moveStage(lead, to)} />
    </div>
  );
}
