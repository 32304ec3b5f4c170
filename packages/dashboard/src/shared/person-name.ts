type Contact = { contact_name: string; contact_email: string; contact_phone?: string };

/** The name of a person in lists and messages, with fallbacks. */
export function personName(person: Contact & ({ lead_id: number } | { ip: string })): string {
  const { contact_name, contact_email, contact_phone } = person;
  const given = contact_name.trim() || contact_email || contact_phone;
  if (given) return given;
  return 'lead_id' in person ? `Lead ${person.lead_id}` : `Sender at ${person.ip}`;
}
