import { escapeHtml } from '../../lib/html-text.ts';

/** What a customer pastes into pages. */

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

/** A tag manager drops attributes of a script tag that it does not know, so the tag is made by hand. */
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

/** Works without any script; the form script makes it better. */
export function formSnippet({ origin }: SnippetPlaces, siteKey: string, formId: string): string {
  const [site, form] = [siteKey, formId].map(escapeHtml);
  return `<form data-leadtrail-form="${form}" data-site="${site}" action="${escapeHtml(origin)}/lead.capture" method="post">
  <input type="hidden" name="siteKey" value="${site}">
  <input type="hidden" name="formId" value="${form}">
  <input type="hidden" name="SOURCE" value="WebSite">
  <input type="hidden" name="PROJECT" value="Name of the project">
  <label>Name <input name="FIRSTNAME" autocomplete="name" required></label>
  <label>E-mail <input name="EMAIL" type="email" autocomplete="email" required></label>
  <label>Phone <input name="PHONE" type="tel" autocomplete="tel"></label>
  <label>Message <textarea name="USER_MESSAGE"></textarea></label>
  <button>Send</button>
</form>`;
}

/** A string in a script that stands in a page: nothing in it may end that script. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003C');
}
