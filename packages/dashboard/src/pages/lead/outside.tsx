import { Check, Copy, ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { toastProblem } from '../../ui/toast.tsx';

/** What came from outside: shown as text, and as a link only where that leads to a web page. */

export function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

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
  if (url === undefined) return <span className={classes('break-all', className)}>{text ?? address}</span>;
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noreferrer noopener"
      title={address}
      className={classes('break-all text-ink underline decoration-line-strong underline-offset-2', className)}
    >
      {text ?? shortAddress(url)}
      <ExternalLink aria-hidden="true" className="ml-1 inline size-3 text-ink-faint" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

/** Without what all addresses have, and without what only machines read. */
function shortAddress({ host, pathname }: URL): string {
  const path = pathname === '/' ? '' : decoded(pathname);
  return host.replace(/^www\./, '') + path;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const SHOWN_MS = 2000;

/** A small one, for the end of a line. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toastProblem('Not copied', 'The browser does not let this page use the clipboard.'),
    );
  return (
    <Button
      look="ghost"
      size="small"
      className="max-sm:size-11"
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      icon={isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      onClick={copy}
    />
  );
}
