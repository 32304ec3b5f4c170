import { emailKey, readPhone } from './contact.ts';

/** All by which somebody is known, over all leads and visits, in the forms that compare equal. */
export type Person = {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly visitors: readonly string[];
};

/** Who is meant by what an administrator has typed. */
export function personMeant(given: {
  email?: string | null | undefined;
  phone?: string | null | undefined;
  visitor_id?: string | null | undefined;
}): Person {
  return {
    emails: present(emailKey(given.email ?? '')),
    phones: phonesMeant(given.phone ?? ''),
    visitors: present(given.visitor_id ?? null),
  };
}

function phonesMeant(phone: string): string[] {
  const { key } = readPhone(phone, '', null);
  // Where no country was known at capture, the digits had to stand by themselves.
  return key?.startsWith('+') ? [key, key.slice(1)] : present(key);
}

/** What a submission says about who sent it. */
export type Contact = {
  email: string;
  phone: string;
  dialCode: string;
  /** By geolocation; '' where it was not known. */
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

/** The number as it was given, where that says nothing about its country. */
export function nationalPhone({ phones }: Person): string | null {
  const [key] = phones;
  return phones.length === 1 && key !== undefined && !key.startsWith('+') ? key : null;
}

/**
 * A number without its country means the one number that people have typed like this. Where they are several,
 * nobody knows whose it is, and nobody else's data may go with it.
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
