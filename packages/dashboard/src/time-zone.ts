import { useSyncExternalStore } from 'react';

/** The time zone of the workspace, in which all times are shown. Until it has loaded, the last known one is used. */

const NAME = 'leadtrail_dashboard_time_zone';
const listeners = new Set<() => void>();

let known = keptTimeZone() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function knownTimeZone(): string {
  return known;
}

/** Re-renders when it changes. */
export function useTimeZone(): string {
  return useSyncExternalStore(onChange, knownTimeZone);
}

export function noteTimeZone(timeZone: string): void {
  if (timeZone === known || !isTimeZone(timeZone)) return;
  known = timeZone;
  try {
    localStorage.setItem(NAME, timeZone);
  } catch {
    // Without storage every page load asks for it again.
  }
  for (const listener of listeners) listener();
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keptTimeZone(): string | undefined {
  try {
    const kept = localStorage.getItem(NAME);
    return kept !== null && isTimeZone(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** The service may know one that the browser does not. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
