import { hasConsent, mayKeep } from '../privacy.ts';
import { config, root } from '../script-tag.ts';

export type Submitter = HTMLButtonElement | HTMLInputElement | null;

/** See form-extras.ts. Until they are loaded, or if they are blocked, forms work without. */
type Extras = {
  start(parts: object): void;
  keep(form: object): Promise<boolean>;
  drop(id: string | undefined): void;
  /** Whether the service is unreachable. */
  isAway(): Promise<boolean>;
  /** Called repeatedly, with the configuration as far as it is loaded. */
  apply(lead: object): void;
  /** Called before a form is sent; may change its submission id. */
  prove(lead: object, data: FormData): Promise<void>;
  fieldsOf(form: HTMLFormElement, mayKeep: boolean): [string, string | undefined][];
  replace(form: HTMLFormElement, text: HTMLElement): void;
  showSending(form: HTMLFormElement, submitter: Submitter, text: string): () => void;
  english: Record<string, string>;
};

export let extras: Partial<Extras> = {};
let isAsked: boolean;

export async function loadExtras(parts: object, onLoaded: () => void): Promise<void> {
  if (isAsked || !hasConsent()) return;
  isAsked = true;
  try {
    ({ extras } = await import(root + config.extras));
    extras.start?.({ ...parts, mayKeep });
    onLoaded();
  } catch {}
}
