/** Light, dark, or as the system has it. */

export type Theme = 'system' | 'light' | 'dark';

const NAME = 'leadtrail_dashboard_theme';
const systemDark = matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(NAME);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(NAME, theme);
  } catch {}
  applyTheme();
}

export function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === 'system' ? systemDark.matches : theme === 'dark';
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

systemDark.addEventListener('change', applyTheme);
