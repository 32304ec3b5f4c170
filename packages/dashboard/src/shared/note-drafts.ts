import { useSyncExternalStore } from 'react';

/** Unsaved notes, one per lead, kept until the tab is closed or the user signs out. */

const PREFIX = 'leadtrail_note_';
/** Where storage is blocked or full, a draft lives as long as the page. */
const drafts = new Map<number, string>();
const listeners = new Set<() => void>();

export function useNoteDraft(leadId: number): string {
  return useSyncExternalStore(onChange, () => noteDraft(leadId));
}

export function noteDraft(leadId: number): string {
  return drafts.get(leadId) ?? attempt(() => sessionStorage.getItem(PREFIX + leadId)) ?? '';
}

export function keepNoteDraft(leadId: number, text: string): void {
  if (text === '') {
    forgetNoteDraft(leadId);
    return;
  }
  drafts.set(leadId, text);
  attempt(() => sessionStorage.setItem(PREFIX + leadId, text));
  tell();
}

/** Puts a text that was not saved before the present draft. */
export function giveBackToDraft(leadId: number, text: string): void {
  const known = noteDraft(leadId);
  keepNoteDraft(leadId, known === '' ? text : `${text}\n${known}`);
}

/** Follows a merge to the surviving lead. */
export function moveNoteDraft(from: number, to: number): void {
  const text = noteDraft(from);
  forgetNoteDraft(from);
  if (text !== '') giveBackToDraft(to, text);
}

export function forgetNoteDraft(leadId: number): void {
  drafts.delete(leadId);
  attempt(() => sessionStorage.removeItem(PREFIX + leadId));
  tell();
}

export function forgetNoteDrafts(): void {
  drafts.clear();
  attempt(() => {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  });
  tell();
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
