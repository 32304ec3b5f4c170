/**
 * Hidden without `display: none`, which bots look for. Off the top, because right-to-left pages scroll to the left.
 * `!important`, because pages style everything in a form.
 */
const OUT_OF_SIGHT =
  'position:absolute;top:-9999px;left:0;width:1px;height:1px;margin:0;overflow:hidden;opacity:0;pointer-events:none';

/** A honeypot field, unless the page has one of that name. */
export function addHoneypot(form: HTMLFormElement, name: string): HTMLInputElement | null {
  if (form.querySelector(`[name="${name}"]`)) return null;
  const field = document.createElement('input');
  field.name = name;
  field.tabIndex = -1;
  field.autocomplete = 'off';
  const container = document.createElement('div');
  container.setAttribute('aria-hidden', 'true');
  // By script: a strict Content-Security-Policy blocks style attributes.
  container.style.cssText = OUT_OF_SIGHT.replace(/;|$/g, '!important;');
  container.append(field);
  // Pages style the last child, and what follows it is moved.
  if (form.lastElementChild) form.lastElementChild.before(container);
  else form.append(container);
  return field;
}
