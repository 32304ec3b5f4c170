import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { toastProblem } from './toast.tsx';

const SHOWN_MS = 2000;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy(text);
  const shown = isCopied ? 'Copied' : label;
  return (
    <Button size="small" icon={<CopyMark isCopied={isCopied} />} onClick={copy} aria-label={shown}>
      {shown}
    </Button>
  );
}

export function CopyIcon({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <Button
      look="ghost"
      size="small"
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      icon={<CopyMark isCopied={isCopied} />}
      onClick={copy}
    />
  );
}

function CopyMark({ isCopied }: { isCopied: boolean }) {
  return isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />;
}

function useCopy(text: string): { isCopied: boolean; copy: () => Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toastProblem('Not copied', 'The browser blocks the clipboard. Select the text and copy it yourself.');
    }
  }
  return { isCopied, copy };
}
