import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';

/** What others have sent: shown as text, and as a link only where that is safe. */

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Leads out of the dashboard; an address that is not of the web stays text. */
export function OutsideLink({ address, children }: { address: string; children?: ReactNode }) {
  if (!isWebAddress(address)) return <span className="break-words">{address}</span>;
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      className="inline-flex max-w-full items-center gap-1 text-accent-text underline-offset-2 hover:underline"
    >
      <span className="min-w-0 break-words">{children ?? address}</span>
      <ExternalLink aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  );
}

export type Fact = { name: string; value: ReactNode };

/** Names and what they stand for, one below the other on a phone. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid min-w-0 divide-y divide-line">
      {facts.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: They do not move, and what was sent may repeat a name.
        <div key={index} className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[11rem_minmax(0,1fr)]">
          <dt className="break-words text-ink-faint">{name}</dt>
          <dd className="min-w-0 break-words whitespace-pre-wrap">
            {value === '' || value == null ? <span className="text-ink-faint">–</span> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Whatever was sent as names and texts; what is inside of something is named `outer · inner`. */
export function factsOf(value: unknown, name = ''): Fact[] {
  if (typeof value !== 'object' || value === null) return [{ name: name || 'Value', value: textOf(value) }];
  const entries = Object.entries(value);
  if (entries.length === 0) return name === '' ? [] : [{ name, value: '' }];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)) {
    return [{ name: name || 'Values', value: value.map(textOf).join(', ') }];
  }
  return entries.flatMap(([key, inner]) => {
    const own = Array.isArray(value) ? String(Number(key) + 1) : key;
    return factsOf(inner, name === '' ? own : `${name}${Array.isArray(value) ? ' ' : ' · '}${own}`);
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value);
}
