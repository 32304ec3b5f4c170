import { CopyButton } from '../../../ui/copy-button.tsx';

/** Code to copy. */
export function CodeBlock({ code, copyLabel = 'Copy' }: { code: string; copyLabel?: string }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line bg-sunken p-3">
      <pre className="font-mono text-[0.8125rem] leading-relaxed whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
        <code>{code}</code>
      </pre>
      <div className="justify-self-end">
        <CopyButton text={code} label={copyLabel} />
      </div>
    </div>
  );
}

/** A single value to copy. */
export function CopyLine({ title, text, hint }: { title: string; text: string; hint?: string }) {
  return (
    <div className="grid gap-1.5">
      <p className="text-[0.8125rem] font-medium">{title}</p>
      <div className="flex items-center justify-between gap-3 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <code className="min-w-0 font-mono text-[0.8125rem] break-all">{text}</code>
        <CopyButton text={text} />
      </div>
      {hint !== undefined && <p className="text-[0.8125rem] text-ink-faint">{hint}</p>}
    </div>
  );
}
