import type { LeadForm } from '../form/lead-form.ts';
import { BUTTON } from '../form-extras/button.ts';

/** The widget of a captcha provider, whose token is sent along with the form. */

type Api = {
  render(place: HTMLElement, options: object): string;
  getResponse(widget: string): string | undefined;
  reset(widget: string): void;
  /** hCaptcha: presents its challenge if the box has not been ticked. */
  execute?(widget: string, options: object): Promise<unknown>;
};
type Widget = { token(): string | undefined; complete(): Promise<unknown>; renew(): void };

const PROVIDERS = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    field: 'cf-turnstile-response',
    placedByPage: '.cf-turnstile',
    waitMs: 10_000,
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js?render=explicit',
    field: 'h-captcha-response',
    placedByPage: '.h-captcha',
    // The visitor may have to solve a challenge.
    waitMs: 60_000,
  },
};
/** A script that never loads must not block the form. */
const LOAD_MS_MAX = 10_000;
/** Providers may add a copy of the token under this name, for compatibility with reCAPTCHA. */
const COPY = 'g-recaptcha-response';

type Name = keyof typeof PROVIDERS;
const nameOf = ({ config }: LeadForm) => config.spam_check as Name;

const widgets = new WeakMap<LeadForm, Promise<Widget>>();
/** By attempt: each token is valid once. */
const tokens = new WeakMap<object, string>();

export function addWidget(lead: LeadForm): void {
  const { form } = lead;
  const { field, placedByPage } = PROVIDERS[nameOf(lead)];
  if (form.querySelector(`${placedByPage},[name="${field}"]`)) return;
  const place = document.createElement('div');
  const button = form.querySelector(BUTTON);
  if (button) button.before(place);
  else Element.prototype.append.call(form, place);
  const widget = loadApi(nameOf(lead)).then((api) => rendered(api, place, lead));
  widget.catch(() => undefined);
  widgets.set(lead, widget);
  // The token is not part of the input, which would look changed, but a native submit has to carry it.
  form.addEventListener('formdata', ({ formData }) => {
    if (!lead.sending) return;
    const token = tokens.get(lead.sending);
    for (const name of [field, COPY]) formData.delete(name);
    if (token) formData.set(field, token);
  });
  for (const end of ['sent', 'error'])
    form.addEventListener(`leadtrail:${end}`, () => {
      widget.then(({ renew }) => renew()).catch(() => undefined);
    });
}

export async function addToken(lead: LeadForm, data: FormData): Promise<void> {
  const { field, waitMs } = PROVIDERS[nameOf(lead)];
  const limit = new Promise<undefined>((resolve) => setTimeout(resolve, waitMs));
  const token = await Promise.race([tokenOf(lead), limit]);
  if (!token) return;
  data.set(field, token);
  if (lead.sending) tokens.set(lead.sending, token);
}

async function tokenOf(lead: LeadForm): Promise<string | undefined> {
  const widget = await widgets.get(lead);
  if (widget && !widget.token()) await widget.complete();
  return widget?.token();
}

function rendered(api: Api, place: HTMLElement, { config }: LeadForm): Widget {
  let done: () => void;
  let completed: Promise<void>;
  const expectToken = () => {
    completed = new Promise((resolve) => {
      done = resolve;
    });
  };
  expectToken();
  const id = api.render(place, {
    sitekey: config.spam_check_site_key,
    callback: () => done(),
    'expired-callback': expectToken,
  });
  return {
    token: () => api.getResponse(id),
    complete: () =>
      api.execute && config.spam_check === 'hcaptcha' ? api.execute(id, { async: true }) : completed,
    renew() {
      expectToken();
      api.reset(id);
    },
  };
}

const loading: { [name in Name]?: Promise<Api> } = {};

/** The page may have loaded it already. */
function loadApi(name: Name): Promise<Api> {
  const found = () => (window as unknown as Record<Name, Api>)[name];
  loading[name] ??= new Promise((resolve, reject) => {
    if (found()) return resolve(found());
    const script = document.createElement('script');
    script.src = PROVIDERS[name].script;
    script.onload = () => resolve(found());
    script.onerror = reject;
    setTimeout(reject, LOAD_MS_MAX);
    document.head.append(script);
  });
  return loading[name];
}
