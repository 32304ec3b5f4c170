import { Link } from '@tanstack/react-router';

const LOOK = 'font-mono text-[0.8125rem] break-all @2xl:whitespace-nowrap';

/** Links to the submissions from an address; a range has no such list. */
export function Address({
  ip,
  leads,
  title,
}: {
  ip: string;
  leads?: '/rejected' | '/testing';
  title?: string;
}) {
  if (leads === undefined || ip.includes('/')) return <span className={LOOK}>{ip}</span>;
  return (
    <Link
      to={leads}
      search={{ q: ip }}
      title={title}
      className={`${LOOK} rounded-sm text-accent-text underline-offset-2 hover:underline`}
    >
      {ip}
    </Link>
  );
}
