import type { DELIVERY_STATES } from '@leadtrail/contract/lead-records';

export type DeliveryState = { delivery_state: (typeof DELIVERY_STATES)[number]; delivery_note: string };

type Facts = {
  sends: readonly { status: 'pending' | 'delivered' | 'failed'; last_error: string | null }[];
  isBotLead: boolean;
  /** Submissions that were not forwarded for their risk. */
  held: readonly { risk: number; above: number }[];
};

const BY_PRECEDENCE = ['pending', 'delivered', 'failed'] as const;

/** One state for all deliveries of a lead, pending ones first; without any, why there is none. */
export function deliveryState({ sends, isBotLead, held }: Facts): DeliveryState {
  for (const state of BY_PRECEDENCE) {
    const send = sends.find(({ status }) => status === state);
    if (send === undefined) continue;
    return { delivery_state: state, delivery_note: state === 'failed' ? (send.last_error ?? '') : '' };
  }
  if (isBotLead) return heldBack('It looks like the work of a bot.');
  const [first] = held;
  if (first === undefined) return { delivery_state: 'none', delivery_note: '' };
  return heldBack(`Its risk is ${first.risk}; nothing above ${first.above} is forwarded.`);
}

function heldBack(note: string): DeliveryState {
  return { delivery_state: 'held_back', delivery_note: note };
}
