import type { LeadItem } from '@leadtrail/contract/lead-records';
import { Badge } from '../ui/badge.tsx';

/** Marks what is nobody's enquiry: what a bot has left, and what somebody sent to try a form. */
export function BotAndTest({
  of: { is_bot_lead, test_lead },
}: {
  of: Pick<LeadItem, 'is_bot_lead' | 'test_lead'>;
}) {
  return (
    <>
      {is_bot_lead === 1 && <Badge tone="negative">Bot</Badge>}
      {test_lead === 'yes' && <Badge tone="warning">Test</Badge>}
    </>
  );
}
