import type { LeadItem } from '@leadtrail/contract/lead-records';
import { Badge } from '../ui/badge.tsx';

/** Badges for leads that are no real enquiries: from bots, or sent to test a form. */
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
