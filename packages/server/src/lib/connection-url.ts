/** Validates the URLs of databases and Redis before a driver misreads them. */

/** Detects a password that is not percent-encoded, except for a stray @, which is harmless. */
export function isDatabaseUrl(text: string): boolean {
  // A user without a host: the host is in the query, or the default.
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
