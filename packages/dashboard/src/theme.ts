import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly { theme: Theme; label: string; icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
];

const NAME = 'leadtrail_dashboard_theme';
const systemDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

let chosen = keptTheme();

export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, () => chosen);
}

export function chooseTheme(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(NAME, theme);
  } catch {}
  applyTheme();
  for (const listener of listeners) listener();
}

export function applyTheme(): void {
  const isDark = chosen === 'system' ? systemDark.matches : chosen === 'dark';
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(NAME);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

systemDark.addEventListener('change', applyTheme);
