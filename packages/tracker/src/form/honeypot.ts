/**
 * Out of sight and out of the flow, without the `display: none` that programs look for. Upwards, because a page can
 * be scrolled to the left where people write from the right. Important, because pages style whatever is in a form.
 */
const OUT_OF_SIGHT =
  'position:absolute;top:-9999px;left:0;width:1px;height:1px;margin:0;overflow:hidden;opacity:0;pointer-events:none';

/** A field that only programs find. A page that has one of that name looks after it itself. */
export function addHoneypot(form: HTMLFormElement, name: string): HTMLInputElement | null {
  if (form.querySelector(`[name="${name}"]`)) return null;
  const field = document.createElement('input');
  field.name = name;
  field.tabIndex = -1;
  field.autocomplete = 'off';
  const container = document.createElement('div');
  container.setAttribute('aria-hidden', 'true');
  // Set from a script, which a strict policy of the page allows, unlike a style attribute.
  container.style.cssText = OUT_OF_SIGHT.replace(/;|$/g, '!important;');
  container.append(field);
  // A field of the form may be called "append".
  Element.prototype.append.call(form, container);
  return field;
}
