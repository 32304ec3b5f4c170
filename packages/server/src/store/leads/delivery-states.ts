import { type DeliveryState, deliveryState } from '../../domain/delivery/delivery-state.ts';
import type { Db } from '../dialect.ts';

type State = DeliveryState['delivery_state'];

/** What has become of the deliveries of leads, by lead. */
export async function deliveryStatesOf(
  { query, dialect }: Db,
  leads: readonly { lead_id: number; is_bot_lead: number }[],
): Promise<Map<number, State>> {
  const leadIds = dialect.anyOf(leads.map(({ lead_id }) => lead_id));
  const sends = await query
    .selectFrom('flow_sends')
    .select(['lead_id', 'status', 'last_error'])
    .where('lead_id', 'in', leadIds)
    .where('event', '=', 'lead')
    .execute();
  const held = await query
    .selectFrom('submissions')
    .select(['lead_id', 'suspicion_score as risk', 'held_above_risk as above'])
    .where('lead_id', 'in', leadIds)
    .where('held_above_risk', 'is not', null)
    .$narrowType<{ above: number }>()
    .execute();
  const sendsOf = Map.groupBy(sends, ({ lead_id }) => lead_id);
  const heldOf = Map.groupBy(held, ({ lead_id }) => lead_id);
  return new Map(
    leads.map(({ lead_id, is_bot_lead }) => {
      const { delivery_state } = deliveryState({
        sends: sendsOf.get(lead_id) ?? [],
        isBotLead: is_bot_lead === 1,
        held: heldOf.get(lead_id) ?? [],
      });
      return [lead_id, delivery_state];
    }),
  );
}
