import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { WebLink, webAddress } from './outside.tsx';

/** Names and what they stand for. */

export type Fact = { name: string; value: ReactNode };

export function Facts({ facts, isNarrow = false }: { facts: readonly Fact[]; isNarrow?: boolean }) {
  return (
    <dl className={classes('grid gap-x-6 gap-y-2', !isNarrow && 'grid-cols-2 xl:grid-cols-3')}>
      {facts.map(({ name, value }) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs break-words text-ink-faint">{name}</dt>
          <dd className="min-w-0 break-words whitespace-pre-wrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const SHOWN_AT_FIRST = 9;
const LONG_CHARS = 600;

/** A JSON value for people: a list of its fields, and as it came for whoever wants that. */
export function SentValues({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const fields = fieldsOf(value);
  const shown = isWhole ? fields : fields.slice(0, SHOWN_AT_FIRST);
  return (
    <div className="grid gap-2.5">
      {fields.length > 0 && (
        <Facts facts={shown.map(([name, held]) => ({ name, value: <Held text={held} /> }))} />
      )}
      {fields.length > shown.length && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="justify-self-start text-[0.8125rem] font-medium text-accent-text hover:underline max-sm:min-h-11"
        >
          Show all {fields.length} fields
        </button>
      )}
      <Disclosure title="Raw JSON">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls has to be reachable by keyboard.
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
        >
          {JSON.stringify(value, null, 2)}
        </pre>
      </Disclosure>
    </div>
  );
}

function Held({ text }: { text: string }) {
  if (webAddress(text) !== undefined) return <WebLink address={text} />;
  return text.length > LONG_CHARS ? `${text.slice(0, LONG_CHARS)}…` : text;
}

/** What is empty says nothing. */
function fieldsOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .map(([name, held]): [string, string] => [name, textOf(held)])
    .filter(([, held]) => held !== '');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function Disclosure({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <details className="group min-w-0">
      <summary className="inline-flex items-center gap-1 rounded text-[0.8125rem] font-medium text-ink-soft select-none hover:text-ink max-sm:min-h-11">
        <ChevronRight aria-hidden="true" className="size-3.5 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="mt-2 min-w-0">{children}</div>
    </details>
  );
}
