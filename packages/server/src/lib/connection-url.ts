/** Whether the address of a database or of Redis can be read, before a driver reads it in its own way. */

/** A password that is not percent-encoded shows, unless it has only an @ too many, which does no harm. */
export function isDatabaseUrl(text: string): boolean {
  // With a user, but no host: that is in the query, or the usual one.
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@host/'));
  if (url === null) return false;
  const { username, password, pathname, searchParams, hash } = url;
  const hasPlainNames = [...searchParams.keys()].every((key) => /^\w+$/.test(key));
  return hash === '' && /^(\/[^/@]*)?$/.test(pathname) && hasPlainNames && isEncoded(username + password);
}

export function isRedisUrl(text: string): boolean {
  const { hostname, pathname, username, password, hash } = new URL(text);
  return hostname !== '' && /^(\/\d*)?$/.test(pathname) && hash === '' && isEncoded(username + password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
