/** Local storage, with memory as a fallback where it is blocked. */

export const VISITOR = 'leadtrail_visitor';
export const SESSION = 'leadtrail_session';
export const CONSENT = 'leadtrail_consent';
export const CAMPAIGN = 'leadtrail_campaign';
export const TOUCHES = 'leadtrail_touches';
export const UNSENT = 'leadtrail_unsent';
export const KEPT_FORMS = 'leadtrail_forms';

const notKept: Record<string, string> = {};

export function read(key: string): string | null {
  try {
    return notKept[key] ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function write(key: string, value: string): string {
  notKept[key] = value;
  try {
    localStorage.setItem(key, value);
    delete notKept[key];
  } catch {}
  return value;
}

export function remove(key: string): void {
  delete notKept[key];
  try {
    localStorage.removeItem(key);
  } catch {}
}

/** Untrusted: another version of the script, or the page, may have written it. */
export function readObject(key: string): Record<string, unknown> {
  try {
    // `null` becomes an empty object.
    return Object(JSON.parse(read(key) as string));
  } catch {
    return {};
  }
}

export function writeObject(key: string, value: object): void {
  write(key, JSON.stringify(value));
}
