/** Link properties for a section of the settings. */
export function settingsPlace(section: string, search: object = {}) {
  return { to: '/settings/$section' as const, params: { section }, search };
}
