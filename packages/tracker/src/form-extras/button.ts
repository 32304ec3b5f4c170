type Submitter = HTMLButtonElement | HTMLInputElement | null;

export const BUTTON = 'button:not([type=button],[type=reset]),[type=submit]';

/**
 * Shows on the button that the form is being sent. Not disabled,
 * which would lose the focus. Returns an undo function.
 */
export function showSending(form: HTMLFormElement, submitter: Submitter, text: string): () => void {
  const button = submitter ?? form.querySelector<HTMLButtonElement>(BUTTON);
  if (!button) return () => undefined;
  const { opacity } = button.style;
  const part = shownPart(button);
  const before = part && button[part];
  button.style.opacity = '.6';
  button.setAttribute('aria-disabled', 'true');
  if (part) button[part] = text;
  return () => {
    button.style.opacity = opacity;
    button.removeAttribute('aria-disabled');
    if (part) button[part] = before as string;
  };
}

/** Neither: the value of a named button is submitted, and icons must stay. */
function shownPart(button: NonNullable<Submitter>): 'value' | 'textContent' | undefined {
  if (button.matches('input')) return button.name ? undefined : 'value';
  return button.firstElementChild ? undefined : 'textContent';
}
