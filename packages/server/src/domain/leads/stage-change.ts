import type { StageChanged } from '@leadtrail/contract/forwarded-lead';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { isoTime } from '../../lib/utc-time.ts';

/** What the automation platform gets when a lead is moved here. Ids only: it has the details already. */
export function stageChange(
  lead: { lead_id: number; lead_public_id: string; crm_lead_id: string | null },
  move: { from: LeadStatus; to: LeadStatus; by: 'admin' | 'marketing'; at: number; value: number | null },
  sendPublicId: string,
): StageChanged {
  return {
    type: 'lead.stage_changed',
    flow_send_public_id: sendPublicId,
    lead_id: lead.lead_id,
    lead_public_id: lead.lead_public_id,
    crm_lead_id: lead.crm_lead_id ?? '',
    from: move.from,
    to: move.to,
    value: move.value,
    changed_at: isoTime(move.at),
    changed_by: move.by,
  };
}
