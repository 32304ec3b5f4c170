import { emailKey, readPhone } from './contact.ts';

/** The normalised identifiers of a person over all leads and visits. */
export type Person = {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly visitors: readonly string[];
};

/** From what an administrator has typed. */
export function readPerson(given: {
  email?: string | null | undefined;
  phone?: string | null | undefined;
  visitor_id?: string | null | undefined;
}): Person {
  return {
    emails: present(emailKey(given.email ?? '')),
    phones: readPhones(given.phone ?? ''),
    visitors: present(given.visitor_id ?? null),
  };
}

function readPhones(phone: string): string[] {
  const { key } = readPhone(phone, '', null);
  // A number captured without a known country is stored as bare digits.
  return key?.startsWith('+') ? [key, key.slice(1)] : present(key);
}

/** The contact details of a submission. */
export type Contact = {
  email: string;
  phone: string;
  dialCode: string;
  /** By geolocation; '' if unknown. */
  country: string;
  visitorId: string;
};

export function personOf(contact: Contact): Person {
  return {
    emails: present(emailKey(contact.email)),
    phones: present(phoneKeyOf(contact)),
    visitors: present(contact.visitorId || null),
  };
}

function phoneKeyOf({ phone, dialCode, country }: Contact): string | null {
  return readPhone(phone, dialCode, country || null).key;
}

/** null, unless the person is given by a number without a country code. */
export function nationalPhone({ phones }: Person): string | null {
  const [key] = phones;
  return phones.length === 1 && key !== undefined && !key.startsWith('+') ? key : null;
}

/**
 * Completes a national number with the country of the contacts that typed it. If that gives different
 * numbers, the person stays as it is: another person's data must not be erased.
 */
export function withCountry(person: Person, contacts: readonly Contact[]): Person {
  const national = nationalPhone(person);
  if (national === null) return person;
  const alike = contacts.filter(({ phone }) => readPhone(phone, '', null).key === national);
  const numbers = distinct(alike.flatMap((contact) => present(phoneKeyOf(contact))));
  return numbers.length === 1 ? { ...person, phones: distinct([national, ...numbers]) } : person;
}

export function sharesIdentifier(a: Person, b: Person): boolean {
  const meet = (some: readonly string[], others: readonly string[]) =>
    some.some((each) => others.includes(each));
  return meet(a.emails, b.emails) || meet(a.phones, b.phones) || meet(a.visitors, b.visitors);
}

export function together(people: readonly Person[]): Person {
  return {
    emails: distinct(people.flatMap(({ emails }) => emails)),
    phones: distinct(people.flatMap(({ phones }) => phones)),
    visitors: distinct(people.flatMap(({ visitors }) => visitors)),
  };
}

function present(value: string | null): string[] {
  return value === null ? [] : [value];
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
