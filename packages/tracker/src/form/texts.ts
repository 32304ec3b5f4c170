import { extras } from './extras.ts';
import type { FormConfig, FormText } from './form-config.ts';

/** Built in; the other texts are loaded. */
const ERROR = 'The form could not be sent just now. Please try again in a moment.';

export function textOf({ texts }: FormConfig, name: FormText): string {
  return texts[name] || extras.english?.[name] || ERROR;
}

/** By status of the answer; 0: no answer. */
export function errorName(status: number): FormText {
  if (!status && !navigator.onLine) return 'offline';
  if (status === 400) return 'invalid';
  if (status === 413) return 'too_large';
  return [401, 403, 404, 405, 410].includes(status) ? 'refused' : 'error';
}
