import { root } from '../script-tag.ts';
import { hold, type LeadForm, release, restartTime, type Submitter } from './lead-form.ts';
import { clearMessages, showError, showSuccess } from './messages.ts';

/** After as long nobody believes any more that it is being sent. */
const ANSWER_MS_MAX = 30_000;
/** Small enough to go on when the visitor leaves the page, beside whatever else does. */
const KEEPALIVE_CHARS_MAX = 16 * 1024;
/** An address that the page names itself, and which has to be right for visitors without scripts. */
const CAPTURE_ADDRESS = /\/lead\.capture\b/;

type Answer = {
  message?: string;
  redirect_to?: string | null;
  error?: string;
  details?: { path: string }[];
};

export async function send(lead: LeadForm, submitter: Submitter): Promise<void> {
  const { form } = lead;
  const attempt = hold(lead, submitter);
  clearMessages(lead);
  let response: Response | undefined;
  let answer: Answer = {};
  try {
    response = await post(captureUrl(lead), new FormData(form), form);
    answer = Object(await response.json());
  } catch (error) {
    // Whatever broke when the page was left is no reason to do anything once the visitor is back.
    if (lead.sending !== attempt) return;
    const hasTimedOut = (error as Error).name === 'TimeoutError';
    if (!response && !hasTimedOut && navigator.onLine) return postPlainly(lead, attempt);
    return showFailure(lead, response?.ok ? 0 : (response?.status ?? 0), answer);
  }
  if (lead.sending !== attempt) return;
  if (!response.ok) return showFailure(lead, response.status, answer);
  await finish(lead, answer);
}

function post(address: string, data: FormData, form: HTMLFormElement): Promise<Response> {
  const body = isMultipart(form, data) ? data : `${new URLSearchParams(data as never)}`;
  const headers: Record<string, string> = { Accept: 'application/json', 'X-Requested-With': 'fetch' };
  const isText = typeof body === 'string';
  if (isText) headers['Content-Type'] = 'application/x-www-form-urlencoded';
  return fetch(address, {
    method: 'POST',
    body,
    headers,
    credentials: 'omit',
    keepalive: isText && body.length < KEEPALIVE_CHARS_MAX,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
}

function isMultipart(form: HTMLFormElement, data: FormData): boolean {
  // Not the property, which a field called "enctype" would stand in for; the same goes for all others below.
  const declared = form.getAttribute('enctype') ?? '';
  return /multipart/i.test(declared) || [...data.values()].some((value) => value instanceof File);
}

function captureUrl({ form, config }: LeadForm): string {
  const action = form.getAttribute('action') ?? '';
  return (CAPTURE_ADDRESS.test(action) && action) || config.capture_url || action || `${root}lead.capture`;
}

/** As the browser would without this script: whatever keeps a script from sending may still let a form through. */
function postPlainly(lead: LeadForm, attempt: LeadForm['sending']): void {
  const { form } = lead;
  form.setAttribute('action', captureUrl(lead));
  form.setAttribute('method', 'post');
  HTMLFormElement.prototype.submit.call(form);
  // Mostly the page is gone by then, unless the answer opens beside it.
  setTimeout(() => {
    if (lead.sending === attempt) release(lead);
  }, ANSWER_MS_MAX);
}

async function finish(lead: LeadForm, { message = '', redirect_to = null }: Answer): Promise<void> {
  const { form } = lead;
  if (fire(form, 'sent', { message, redirect_to })) {
    // Held until the page is gone.
    if (redirect_to) return location.assign(redirect_to);
    HTMLFormElement.prototype.reset.call(form);
    await showSuccess(form, message);
  }
  restartTime(lead);
  release(lead);
}

async function showFailure(
  lead: LeadForm,
  status: number,
  { error = '', details = [] }: Answer,
): Promise<void> {
  if (fire(lead.form, 'error', { status, error })) {
    await showError(
      lead,
      status,
      details.map(({ path }) => path),
    );
  }
  release(lead);
}

/** Says whether the page leaves the rest to us. */
function fire(form: HTMLFormElement, name: 'sent' | 'error', detail: object): boolean {
  return form.dispatchEvent(
    new CustomEvent(`leadtrail:${name}`, { bubbles: true, cancelable: true, detail }),
  );
}
