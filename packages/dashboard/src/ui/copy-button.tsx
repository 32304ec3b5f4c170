import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { toastProblem } from './toast.tsx';

const SHOWN_MS = 2000;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
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
      toastProblem('Not copied', 'The browser does not let this page use the clipboard.');
    }
  }

  return (
    <Button
      size="small"
      icon={isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      onClick={copy}
      aria-label={isCopied ? 'Copied' : label}
    >
      {isCopied ? 'Copied' : label}
    </Button>
  );
}
