import type { LeadItem } from '@leadtrail/contract/leads';

type Named = Pick<LeadItem, 'lead_id' | 'contact_name' | 'contact_email' | 'contact_phone'>;

/** Not everybody gives a name. */
export function nameOf({ contact_name, contact_email, contact_phone, lead_id }: Named): string {
  return contact_name.trim() || contact_email || contact_phone || `Lead ${lead_id}`;
}
