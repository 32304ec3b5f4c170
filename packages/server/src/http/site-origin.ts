/** What a page of one of the sites needs to read an answer; any other page gets nothing but `Vary`. */
export function siteOriginHeaders(origin: string | undefined, isSiteOrigin: boolean): Record<string, string> {
  return origin !== undefined && isSiteOrigin
    ? { vary: 'Origin', 'access-control-allow-origin': origin }
    : { vary: 'Origin' };
}
