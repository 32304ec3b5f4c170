import { escapeHtml } from '../../lib/html-text.ts';

/** HTML that customers paste into their pages. */

export type SnippetPlaces = { origin: string; trackerPath: string; formPath: string };

export function trackerSnippet({ origin, trackerPath }: SnippetPlaces, siteKey: string): string {
  return scriptTag(origin + trackerPath, siteKey);
}

export function formScriptSnippet({ origin, formPath }: SnippetPlaces, siteKey: string): string {
  return scriptTag(origin + formPath, siteKey);
}

function scriptTag(src: string, siteKey: string): string {
  return `<script async src="${escapeHtml(src)}" data-site="${escapeHtml(siteKey)}"></script>`;
}

/** Tag managers drop unknown attributes of script tags, so a script creates the tag. */
export function tagManagerSnippet({ origin, trackerPath, formPath }: SnippetPlaces, siteKey: string): string {
  const sources = [origin + trackerPath, origin + formPath].map(quoted).join(', ');
  return `<script>
  [${sources}].forEach(function (src) {
    var script = document.createElement('script');
    script.async = true;
    script.src = src;
    script.dataset.site = ${quoted(siteKey)};
    document.head.appendChild(script);
  });
</script>`;
}

/**
 * Works without JavaScript; the form script enhances it. PROJECT is the site's name, because many paste the
 * form unchanged, and it is stored with each of their leads.
 */
export function formSnippet(
  { origin }: SnippetPlaces,
  { site_key, name }: { site_key: string; name: string },
  formId: string,
): string {
  const [site, project, form] = [site_key, name, formId].map(escapeHtml);
  return `<form data-leadtrail-form="${form}" data-site="${site}" action="${escapeHtml(origin)}/lead.capture" method="post">
  <input type="hidden" name="siteKey" value="${site}">
  <input type="hidden" name="formId" value="${form}">
  <input type="hidden" name="PROJECT" value="${project}">
  <label>Name <input name="FIRSTNAME" autocomplete="name" required></label>
  <label>E-mail <input name="EMAIL" type="email" autocomplete="email" required></label>
  <label>Phone <input name="PHONE" type="tel" autocomplete="tel"></label>
  <label>Message <textarea name="USER_MESSAGE"></textarea></label>
  <button>Send</button>
</form>`;
}

/** A string literal for an inline script, which `</script>` would end. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003C');
}
