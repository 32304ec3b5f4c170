import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Disclosure } from './disclosure.tsx';
import { Facts } from './facts.tsx';
import { WebLink, webAddress } from './web-link.tsx';

const SHOWN_AT_FIRST = 9;
const LONG_CHARS = 600;

/** A JSON value as a list of its fields, with the raw JSON on request. */
export function SentValues({
  value,
  except = [],
}: {
  value: unknown;
  /** Fields that are shown elsewhere. */
  except?: readonly string[];
}) {
  const [isWhole, setWhole] = useState(false);
  const fields = fieldsOf(value).filter(([name]) => !except.includes(name));
  const shown = isWhole ? fields : fields.slice(0, SHOWN_AT_FIRST);
  const json = JSON.stringify(value, null, 2);
  return (
    <div className="grid min-w-0 gap-2.5">
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
        <div className="grid justify-items-end gap-2">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable regions must be reachable by keyboard.
            tabIndex={0}
            className="max-h-80 w-full overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
          >
            {json}
          </pre>
          <CopyButton text={json} label="Copy as JSON" />
        </div>
      </Disclosure>
    </div>
  );
}

function Held({ text }: { text: string }) {
  if (webAddress(text) !== undefined) return <WebLink address={text} />;
  return text.length > LONG_CHARS ? `${text.slice(0, LONG_CHARS)}…` : text;
}

/** Flattens nested values under names like `outer · inner`; empty values are left out. */
function fieldsOf(value: unknown, name = ''): [name: string, text: string][] {
  if (isPlain(value))
    return [[name || 'Value', textOf(value)] as [string, string]].filter(([, text]) => text);
  if (Array.isArray(value) && value.every(isPlain)) return fieldsOf(value.map(textOf).join(', '), name);
  return Object.entries(value as object).flatMap(([key, inner]) => {
    const own = Array.isArray(value) ? String(Number(key) + 1) : key;
    return fieldsOf(inner, name === '' ? own : `${name} · ${own}`);
  });
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value);
}
