import type { LeadForm } from '../form/lead-form.ts';
import { KEPT_FORMS, readObject, remove } from '../storage.ts';

/**
 * Keeps forms that the service did not answer for a day, and sends them again. They are encrypted with a key
 * of the tab's session, so they are readable only while the tab is open.
 */

type UnansweredForm = { id: string; address: string; body: string };
/** `id` is undefined on insecure pages. `FormData`, with files, cannot be kept. */
type Given = { id: string | undefined; address: string; body: string | FormData };
type Parts = {
  mayKeep(): boolean;
  post(address: string, body: string): Promise<Response>;
  allLeadForms(): LeadForm[];
  clearMessages(lead: LeadForm): void;
  finish(lead: LeadForm, answer: object): void;
};
type Item = { id: string; at: number; iv: string; data: string };

const KEY = 'leadtrail_key';
const KEPT_MS_MAX = 86_400_000;
const FORMS_MAX = 5;
const BODY_CHARS_MAX = 32 * 1024;
const PAUSE_MS_FIRST = 10_000;
const PAUSE_MS_MAX = 300_000;

let parts: Parts | undefined;
let pauseMs: number;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Retries kept forms from now on. */
export function start(given: Parts): void {
  if (parts) return;
  parts = given;
  startAnew();
  addEventListener('online', startAnew);
}

/** False: the form cannot be kept. */
export async function keep({ id, address, body }: Given): Promise<boolean> {
  try {
    if (!parts?.mayKeep() || !id || typeof body !== 'string' || body.length > BODY_CHARS_MAX) return false;
    const form: UnansweredForm = { id, address, body };
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify(form));
    const data = new Uint8Array(
      await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await sessionKey(), text),
    );
    const item: Item = { id, at: Date.now(), iv: base64(iv), data: base64(data) };
    save([...items().filter((each) => each.id !== id), item].slice(-FORMS_MAX));
    startAnew();
    return true;
  } catch {
    return false;
  }
}

export function drop(id: string | undefined): void {
  save(items().filter((item) => item.id !== id));
}

/** Restarts the backoff. */
function startAnew(): void {
  pauseMs = PAUSE_MS_FIRST;
  schedule();
}

function schedule(): void {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
    await sendAll().catch(() => undefined);
    schedule();
  }, pauseMs);
}

async function sendAll(): Promise<void> {
  if (!parts?.mayKeep()) return remove(KEPT_FORMS);
  if (!navigator.onLine) return;
  for (const { id, iv, data } of items()) {
    const form = await decrypted(iv, data);
    // Kept by another tab, which has its own key.
    if (!form) continue;
    const { status } = await parts.post(form.address, form.body);
    if (!isAnswered(status)) return;
    // The visitor may have sent it by hand in the meantime.
    const isKept = items().some((item) => item.id === id);
    drop(id);
    pauseMs = PAUSE_MS_FIRST;
    if (status < 300 && isKept) showSent(form);
  }
}

/** Shows that a kept form was sent, without taking the visitor away from the current page. */
function showSent({ body }: UnansweredForm): void {
  const leads = parts?.allLeadForms() ?? [];
  const fields = new URLSearchParams(body);
  // Not the form that it was sent from, if its visitor has gone on typing.
  const lead = leads.find((each) => isSame(each, fields));
  if (!lead || lead.sending) return;
  parts?.clearMessages(lead);
  parts?.finish(lead, {});
}

/** Whether this is the same form after a reload, and nothing else is being typed into it. */
function isSame({ form, siteKey, formId }: LeadForm, fields: URLSearchParams): boolean {
  return (
    fields.get('siteKey') === siteKey &&
    fields.get('formId') === formId &&
    [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input,textarea')].every(
      ({ name, value, defaultValue }) => value === defaultValue || fields.getAll(name).includes(value),
    )
  );
}

/** Any answer except a request to retry. */
function isAnswered(status: number): boolean {
  return status >= 200 && status < 500 && status !== 408 && status !== 429;
}

async function decrypted(iv: string, data: string): Promise<UnansweredForm | undefined> {
  try {
    const algorithm = { name: 'AES-GCM', iv: bytes(iv) };
    const text = await crypto.subtle.decrypt(algorithm, await sessionKey(), bytes(data));
    return JSON.parse(new TextDecoder().decode(text));
  } catch {
    return undefined;
  }
}

async function sessionKey(): Promise<CryptoKey> {
  const kept = sessionStorage.getItem(KEY);
  if (kept) return crypto.subtle.importKey('raw', bytes(kept), 'AES-GCM', true, ['encrypt', 'decrypt']);
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
  sessionStorage.setItem(KEY, base64(new Uint8Array(await crypto.subtle.exportKey('raw', key))));
  return key;
}

/** Without those that are too old. */
function items(): Item[] {
  const kept = Object.values(readObject(KEPT_FORMS)) as Item[];
  return kept.filter((item) => Date.now() - item?.at < KEPT_MS_MAX);
}

function save(kept: Item[]): void {
  // No fallback to memory, which would be lost with the page.
  if (kept[0]) localStorage.setItem(KEPT_FORMS, JSON.stringify(kept));
  else remove(KEPT_FORMS);
}

function base64(data: Uint8Array): string {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
