import type { Form } from './site-queries.ts';

export type InstallNote = { text: string; code?: string };

const WIDGETS = {
  turnstile: {
    name: 'Cloudflare Turnstile',
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    className: 'cf-turnstile',
  },
  hcaptcha: { name: 'hCaptcha', script: 'https://js.hcaptcha.com/1/api.js', className: 'h-captcha' },
};

/** What a page needs for the spam check of its form. */
export function installNote(form: Form | undefined): InstallNote | undefined {
  if (form === undefined || form.spam_check === 'none') return undefined;
  if (form.spam_check === 'proof_of_work') {
    return { text: 'Its spam check needs the form script on the page: without it the check fails.' };
  }
  const { name, script, className } = WIDGETS[form.spam_check];
  return {
    text: `The form script shows the ${name} widget by itself. On a page without the form script, put this before the button:`,
    code: `<script async defer src="${script}"></script>
<div class="${className}" data-sitekey="${escaped(form.spam_check_site_key)}"></div>`,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
