import { Building2 } from 'lucide-react';
import { SentValues } from '../../ui/sent-values.tsx';
import type { CrmActivity } from './data.ts';
import { EntryFrame } from './entry.tsx';

export function CrmEntry({ activity, at }: { activity: CrmActivity; at: number }) {
  return (
    <EntryFrame
      icon={<Building2 aria-hidden="true" />}
      tone="neutral"
      title={
        <>
          CRM <span className="font-normal wrap-anywhere text-ink-soft">{inWords(activity.event_type)}</span>
        </>
      }
      at={at}
    >
      <SentValues value={activity.payload} except={['event_type', 'crm_lead_id']} />
    </EntryFrame>
  );
}

/** `deal_won` becomes “Deal won”; names written in words stay as they are. */
function inWords(eventType: string): string {
  const words = eventType.replaceAll(/[_.-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
