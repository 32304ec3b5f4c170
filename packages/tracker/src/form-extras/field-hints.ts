/** Meanings by attribute, for field names that the service does not know. */
const MEANINGS: Record<string, string> = {
  name: 'FIRSTNAME',
  'given-name': 'FIRSTNAME',
  'family-name': 'LASTNAME',
  email: 'EMAIL',
  tel: 'PHONE',
  'tel-national': 'PHONE',
  'tel-country-code': 'COUNTRYCODE',
};

/**
 * JSON `{name: meaning}`, from `autocomplete`, whose last word counts, and `type`; empty if there are none.
 */
export function fieldHints(form: HTMLFormElement): string {
  const hints: Record<string, string> = {};
  for (const field of form.querySelectorAll<HTMLElement>('[name]:not([type=hidden])')) {
    const [word = ''] = (field.getAttribute('autocomplete') ?? '').split(' ').slice(-1);
    const name = field.getAttribute('name') as string;
    const meaning = MEANINGS[word] ?? MEANINGS[field.getAttribute('type') ?? ''];
    if (meaning && name.toUpperCase() !== meaning) hints[name] = meaning;
  }
  return Object.keys(hints)[0] ? JSON.stringify(hints) : '';
}
