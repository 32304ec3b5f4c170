import { ExternalLink } from 'lucide-react';
import { readableHosts } from '../readable-hosts.ts';
import { classes } from './classes.ts';

/** Untrusted addresses: only http and https become links, anything else stays text. */

export function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** Kept on one line with the icon. */
const TAIL_CHARS = 4;

/** An external link. An address that is not a web address is shown as it is, without `text`. */
export function WebLink({
  address,
  text,
  className,
}: {
  address: string;
  text?: string;
  className?: string;
}) {
  const url = webAddress(address);
  if (url === undefined) return <span className={classes('wrap-anywhere', className)}>{address}</span>;
  const letters = [...(text ?? shortAddress(url))];
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noreferrer noopener"
      title={address}
      className={classes(
        'wrap-anywhere text-ink underline decoration-line-strong underline-offset-2',
        className,
      )}
    >
      {letters.slice(0, -TAIL_CHARS).join('')}
      <span className="whitespace-nowrap">
        {letters.slice(-TAIL_CHARS).join('')}
        <ExternalLink aria-hidden="true" className="ml-1 inline size-3 text-ink-faint" />
      </span>
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

/** Without protocol, query and fragment. */
export function readableAddress({ host, pathname }: URL): string {
  return readableHosts(host) + decoded(pathname);
}

/** Without `www.` and trailing slash, too. */
function shortAddress(url: URL): string {
  return readableAddress(url).replace(/^www\.|\/$/g, '');
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
