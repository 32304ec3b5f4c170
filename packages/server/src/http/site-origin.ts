/** CORS headers for pages of the sites; other pages only get `Vary`. */
export function siteOriginHeaders(origin: string | undefined, isSiteOrigin: boolean): Record<string, string> {
  return origin !== undefined && isSiteOrigin
    ? { vary: 'Origin', 'access-control-allow-origin': origin }
    : { vary: 'Origin' };
}
