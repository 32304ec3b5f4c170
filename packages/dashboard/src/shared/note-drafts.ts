/** Notes that were begun and not saved, one for each lead, until the tab is closed or somebody signs out. */

const PREFIX = 'leadtrail_note_';

export function noteDraft(leadId: number): string {
  return attempt(() => sessionStorage.getItem(PREFIX + leadId)) ?? '';
}

export function keepNoteDraft(leadId: number, text: string): void {
  if (text === '') forgetNoteDraft(leadId);
  else attempt(() => sessionStorage.setItem(PREFIX + leadId, text));
}

export function forgetNoteDraft(leadId: number): void {
  attempt(() => sessionStorage.removeItem(PREFIX + leadId));
}

export function forgetNoteDrafts(): void {
  attempt(() => {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  });
}

/** Where storage is blocked or full, a draft lives as long as the page. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
