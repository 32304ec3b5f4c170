import { root } from '../script-tag.ts';
import { extras, type Submitter } from './extras.ts';
import { SUBMISSION_ID } from './hidden-fields.ts';
import { allLeadForms, hold, type LeadForm, release, restartTime } from './lead-form.ts';
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
  const attempt = hold(lead, submitter);
  clearMessages(lead);
  const body = await bodyOf(lead);
  const address = captureUrl(lead);
  let response: Response | undefined;
  let answer: Answer = {};
  try {
    response = await post(address, body);
    answer = Object(await response.json());
  } catch (error) {
    // Cancelled by leaving the page.
    if (lead.sending !== attempt) return;
    const hasTimedOut = (error as Error).name === 'TimeoutError';
    const isKept = !response?.ok && (await keep(lead, address, body));
    const isBlocked = !response && !hasTimedOut && navigator.onLine && !(isKept && (await extras.isAway?.()));
    if (lead.sending !== attempt) return;
    if (isBlocked) return postPlainly(lead);
    return showFailure(lead, response?.ok ? 0 : (response?.status ?? 0), answer, isKept);
  }
  if (lead.sending !== attempt) return;
  const { ok, status } = response;
  if (ok) return finish(lead, answer);
  await showFailure(lead, status, answer, status > 500 && (await keep(lead, address, body)));
}

/** The same input has the same submission id, so that retries count once. */
async function bodyOf(lead: LeadForm): Promise<FormData | string> {
  const { form, config } = lead;
  const data = new FormData(form);
  const input = new URLSearchParams(data as never);
  for (const name of [config.time_field, SUBMISSION_ID]) input.delete(name);
  if (lead.input !== `${input}`) {
    extras.drop?.(lead.submissionId);
    lead.input = `${input}`;
    // Insecure pages have no random ids, and keep no forms.
    lead.submissionId = crypto.randomUUID && `${Date.now().toString(16)}-${crypto.randomUUID()}`;
  }
  await extras.prove?.(lead, data);
  if (lead.submissionId) data.set(SUBMISSION_ID, lead.submissionId);
  return isMultipart(form, data) ? data : `${new URLSearchParams(data as never)}`;
}

function post(address: string, body: FormData | string): Promise<Response> {
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

async function keep({ submissionId: id }: LeadForm, address: string, body: unknown): Promise<boolean> {
  return !!(await extras.keep?.({ id, address, body }));
}

/** What the keeper of unanswered forms needs. */
export const KEEPING = { post, allLeadForms, clearMessages, finish };

function isMultipart(form: HTMLFormElement, data: FormData): boolean {
  // The attribute, not the property: a field named "enctype" would shadow it. The same applies below.
  const declared = form.getAttribute('enctype') ?? '';
  return /multipart/i.test(declared) || [...data.values()].some((value) => value instanceof File);
}

function captureUrl({ form, config }: LeadForm): string {
  const action = form.getAttribute('action') ?? '';
  // Where the script comes from, which may be a folder of this site. Without a configuration the form may be another's.
  const isOwn = CAPTURE_ADDRESS.test(action) || !config.capture_url;
  return (isOwn && action) || `${root}lead.capture`;
}

/** Native submit: a blocker or policy that stops `fetch` may still let a form through. */
function postPlainly(lead: LeadForm): void {
  const { form } = lead;
  form.setAttribute('action', captureUrl(lead));
  form.setAttribute('method', 'post');
  HTMLFormElement.prototype.submit.call(form);
}

async function finish(lead: LeadForm, { message = 'All set!', redirect_to = null }: Answer): Promise<void> {
  const { form } = lead;
  extras.drop?.(lead.submissionId);
  lead.input = lead.submissionId = undefined;
  if (fire(form, 'sent', { message, redirect_to })) {
    // Stays busy until the page is gone.
    if (redirect_to) return location.assign(redirect_to);
    HTMLFormElement.prototype.reset.call(form);
    await showSuccess(lead, message);
    // The form is gone, so nothing can be sent again.
    if (lead.config.after_sending === 'text') return;
  }
  restartTime(lead);
  release(lead);
}

async function showFailure(
  lead: LeadForm,
  status: number,
  { error = '', details = [] }: Answer,
  isKept: boolean,
): Promise<void> {
  if (fire(lead.form, 'error', { status, error })) {
    await showError(
      lead,
      status,
      details.map(({ path }) => path),
      isKept,
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
