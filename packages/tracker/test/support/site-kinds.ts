import type { Page } from 'playwright-core';
import { FIELDS, FORM_ID, KEYS, SITE_KEY } from './lead-forms.ts';
import { aPage } from './site.ts';

/** The ways in which sites are built. Each has a landing page and, a link away, a page with a form. */

export type Place = {
  /** Where the site's pages are, from `/` to `/`. */
  base: string;
  capture: string;
  /** The tags of our scripts. */
  tags: string;
};

export type SiteKind = {
  name: string;
  /**
   * Whose request brings the lead: that of our form script, after which the visitor goes to the thank-you page, or one of
   * the site's own script, which says thank you on the spot.
   */
  sentBy: 'our script' | 'own script';
  /** Whether its pages share one document. */
  isOneDocument: boolean;
  landing(place: Place): string;
  contact(place: Place): string;
  thankYou(place: Place): string;
  /** Fills in everything but the button. */
  fill(page: Page, email: string): Promise<void>;
};

export const FEEDBACK = '/wp-json/contact-form-7/v1/contact-forms/5/feedback';

const LINK = '<main><a href="contact">Contact</a></main>';

const ourForm = ({ base, capture }: Place) =>
  `<main><form data-leadtrail-form="${FORM_ID}" data-site="${SITE_KEY}" action="${capture}" method="post">
    ${KEYS}<input type="hidden" name="DOMAIN" value="${base}">${FIELDS}</form></main>`;

async function fillOurs(page: Page, email: string): Promise<void> {
  await page.locator('[name=FIRSTNAME]').fill('Ada');
  await page.locator('[name=EMAIL]').fill(email);
  await page.locator('[name=USER_MESSAGE]').fill('Call me');
}

/** Pages with the same head. */
const pages = (head: string, contact = ourForm, body = '') => ({
  landing: ({ tags }: Place) => aPage({ head: head + tags, body: LINK + body }),
  contact: (place: Place) => aPage({ head: head + place.tags, body: contact(place) + body }),
  thankYou: ({ tags }: Place) => aPage({ head: head + tags, title: 'Thank you' }),
});

const plain: SiteKind = {
  name: 'plain form',
  sentBy: 'our script',
  isOneDocument: false,
  ...pages(''),
  fill: fillOurs,
};

const reactShell = ({ base, capture, tags }: Place) =>
  aPage({
    head: tags,
    body: `<div id="root" data-base="${base}" data-capture="${capture}" data-site="${SITE_KEY}"
      data-form="${FORM_ID}"></div><script src="/lib/react-site.js"></script>`,
  });
const react: SiteKind = {
  name: 'React with a router',
  sentBy: 'our script',
  isOneDocument: true,
  landing: reactShell,
  contact: reactShell,
  thankYou: ({ tags }) => aPage({ head: tags, title: 'Thank you' }),
  fill: fillOurs,
};

/** Step by step, sent with the page's own request; the button is off meanwhile. */
const JQUERY_STEPS = `<script>
  $(document).on('click', '.next', () => { $('.step').hide().eq(1).show() });
  $(document).on('submit', 'form', function (event) {
    event.preventDefault();
    const form = $(this), button = form.find('.send').prop('disabled', true);
    $.ajax({ url: form.attr('action'), method: 'POST', data: new FormData(this), processData: false, contentType: false })
      .done(({ lead_public_id }) => form.replaceWith($('<p role="status">').text('Thank you').attr('data-lead', lead_public_id)))
      .fail(() => { button.prop('disabled', false); form.find('.again').prop('hidden', false) });
  });
</script>`;
const jquerySteps = ({ capture }: Place) => `<main>
  <form data-leadtrail-form="${FORM_ID}" data-site="${SITE_KEY}" action="${capture}" method="post">${KEYS}
    <div class="step"><input name="FIRSTNAME" aria-label="Name"><button type="button" class="next">Next</button></div>
    <div class="step" style="display: none"><input name="EMAIL" type="email" aria-label="E-mail">
      <button class="send">Send</button></div>
    <p class="again" hidden>Please try again</p>
  </form></main>`;
const jquery: SiteKind = {
  name: 'jQuery in steps, with its own request',
  sentBy: 'own script',
  isOneDocument: false,
  ...pages('<script src="/lib/jquery.js"></script>', jquerySteps, JQUERY_STEPS),
  async fill(page, email) {
    await page.locator('[name=FIRSTNAME]').fill('Ada');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('[name=EMAIL]').fill(email);
  },
};

const boosted = pages('<script src="/lib/htmx.js"></script>');
const isBoosted = (page: string) => page.replace('<body>', '<body hx-boost:inherited="true">');
const htmx: SiteKind = {
  name: 'htmx, boosted',
  sentBy: 'our script',
  isOneDocument: true,
  landing: (place) => isBoosted(boosted.landing(place)),
  contact: (place) => isBoosted(boosted.contact(place)),
  thankYou: boosted.thankYou,
  fill: fillOurs,
};

const turbo: SiteKind = {
  name: 'Turbo',
  sentBy: 'our script',
  isOneDocument: true,
  ...pages('<script src="/lib/turbo.js"></script>'),
  fill: fillOurs,
};

/** Between documents; within one, where the site loads its pages itself, a script starts them. */
const TRANSITIONS = `<style>@view-transition { navigation: auto }</style><script>
  async function show(address) {
    const page = new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html');
    document.startViewTransition(() => document.querySelector('main').replaceWith(page.querySelector('main')));
  }
  addEventListener('click', (event) => {
    if (!event.target.matches('a')) return;
    event.preventDefault();
    history.pushState(null, '', event.target.href);
    show(event.target.href);
  });
  addEventListener('popstate', () => show(location.href));
</script>`;
const transitions: SiteKind = {
  name: 'view transitions',
  sentBy: 'our script',
  isOneDocument: true,
  ...pages(TRANSITIONS),
  fill: fillOurs,
};

/** As Contact Form 7 lays it out, sent to WordPress by its own script; WordPress forwards it from the server. */
const CF7_FORM = `<main><div class="wpcf7 js" id="wpcf7-f5-p2-o1" lang="en-US" dir="ltr">
  <div class="screen-reader-response"><p role="status" aria-live="polite" aria-atomic="true"></p><ul></ul></div>
  <form action="/contact/#wpcf7-f5-p2-o1" method="post" class="wpcf7-form init" aria-label="Contact form"
    novalidate="novalidate" data-status="init">
    <div style="display: none;">
      <input type="hidden" name="_wpcf7" value="5"><input type="hidden" name="_wpcf7_version" value="6.1">
      <input type="hidden" name="_wpcf7_locale" value="en_US"><input type="hidden" name="_wpcf7_unit_tag" value="wpcf7-f5-p2-o1">
      <input type="hidden" name="_wpcf7_container_post" value="2"><input type="hidden" name="_wpcf7_posted_data_hash" value="">
    </div>
    <p><label>Your name<br><span class="wpcf7-form-control-wrap" data-name="your-name"><input size="40" maxlength="400"
      class="wpcf7-form-control wpcf7-text wpcf7-validates-as-required" aria-required="true" type="text" name="your-name"></span></label></p>
    <p><label>Your email<br><span class="wpcf7-form-control-wrap" data-name="your-email"><input size="40" maxlength="400"
      class="wpcf7-form-control wpcf7-email wpcf7-text" aria-required="true" type="email" name="your-email"></span></label></p>
    <p><label>Your message<br><span class="wpcf7-form-control-wrap" data-name="your-message"><textarea cols="40" rows="10"
      class="wpcf7-form-control wpcf7-textarea" name="your-message"></textarea></span></label></p>
    <p><input class="wpcf7-form-control wpcf7-submit has-spinner" type="submit" value="Send"><span class="wpcf7-spinner"></span></p>
    <div class="wpcf7-response-output" aria-hidden="true"></div>
  </form></div></main>`;
const CF7_SCRIPT = `<script>
  const form = document.querySelector('.wpcf7-form');
  const status = (to) => { form.dataset.status = to };
  // What docs/SITES.md says about forms of plugins.
  form?.setAttribute('data-leadtrail-form', '${FORM_ID}');
  form?.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.dataset.status === 'submitting') return;
    status('submitting');
    try {
      const answer = await (await fetch('${FEEDBACK}', { method: 'POST', body: new FormData(form) })).json();
      form.reset();
      status('sent');
      form.querySelector('.wpcf7-response-output').textContent = answer.message;
      form.parentElement.dispatchEvent(new CustomEvent('wpcf7mailsent', { bubbles: true, detail: answer }));
    } catch { status('failed') }
  });
  addEventListener('wpcf7mailsent', () => {
    document.querySelector('.screen-reader-response p').textContent = 'Thank you';
  });
</script>`;
const contactForm7: SiteKind = {
  name: 'Contact Form 7',
  sentBy: 'own script',
  isOneDocument: false,
  ...pages('', () => CF7_FORM, CF7_SCRIPT),
  async fill(page, email) {
    await page.locator('[name=your-name]').fill('Ada');
    await page.locator('[name=your-email]').fill(email);
    await page.locator('[name=your-message]').fill('Call me');
  },
};

export const SITE_KINDS: readonly SiteKind[] = [plain, react, jquery, htmx, turbo, transitions, contactForm7];
