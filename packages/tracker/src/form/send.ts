import { root } from '../script-tag.ts';
import { hold, type LeadForm, release, restartTime, type Submitter } from './lead-form.ts';
import { clearMessages, showError, showSuccess } from './messages.ts';

const ANSWER_MS_MAX = 30_000;
/** Small enough for a keepalive request, which survives leaving the page. */
const KEEPALIVE_CHARS_MAX = 16 * 1024;
/** A form action that already targets the service, for visitors without scripts. */
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
    // Cancelled by leaving the page.
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
  // The attribute, not the property: a field named "enctype" would shadow it. The same applies below.
  const declared = form.getAttribute('enctype') ?? '';
  return /multipart/i.test(declared) || [...data.values()].some((value) => value instanceof File);
}

function captureUrl({ form, config }: LeadForm): string {
  const action = form.getAttribute('action') ?? '';
  // Relative to the service, which may be in a folder of this site.
  const configured = config.capture_url?.replace(/^\//, root);
  return (CAPTURE_ADDRESS.test(action) && action) || configured || action || `${root}lead.capture`;
}

/** Native submit: a blocker or policy that stops `fetch` may still let a form through. */
function postPlainly(lead: LeadForm, attempt: LeadForm['sending']): void {
  const { form } = lead;
  form.setAttribute('action', captureUrl(lead));
  form.setAttribute('method', 'post');
  HTMLFormElement.prototype.submit.call(form);
  // The page is usually gone by then, unless the form has a target.
  setTimeout(() => {
    if (lead.sending === attempt) release(lead);
  }, ANSWER_MS_MAX);
}

async function finish(lead: LeadForm, { message = '', redirect_to = null }: Answer): Promise<void> {
  const { form } = lead;
  if (fire(form, 'sent', { message, redirect_to })) {
    // Stays busy until the page is gone.
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

/** False if the page called `preventDefault()`. */
function fire(form: HTMLFormElement, name: 'sent' | 'error', detail: object): boolean {
  return form.dispatchEvent(
    new CustomEvent(`leadtrail:${name}`, { bubbles: true, cancelable: true, detail }),
  );
}
