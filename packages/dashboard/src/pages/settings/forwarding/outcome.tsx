import type { SendResult } from '@leadtrail/contract/deliveries';
import type { ReactNode } from 'react';
import { formatNumber } from '../../../format.ts';
import { failureSentence } from '../../../shared/send-result.ts';
import { Note } from '../parts/note.tsx';

export function Outcome({
  attempt: { status_code, result, error, duration_ms, answer },
  children,
}: {
  attempt: {
    status_code: number | null;
    result: SendResult | null;
    error: string | null;
    duration_ms: number;
    answer: string;
  };
  children?: ReactNode;
}) {
  return (
    <Note tone={error === null ? 'positive' : 'warning'}>
      <p className="font-medium">{error === null ? 'Delivery succeeded' : 'Delivery failed'}</p>
      <p>
        {status_code === null
          ? failureSentence(result, error)
          : `Answered ${status_code} after ${formatNumber(duration_ms)} ms.`}
        {children}
      </p>
      {answer !== '' && (
        <section
          aria-label="Start of the response"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable regions must be reachable by keyboard.
          tabIndex={0}
          className="mt-1 max-h-40 overflow-y-auto"
        >
          <pre className="font-mono text-xs break-words whitespace-pre-wrap">{answer}</pre>
        </section>
      )}
    </Note>
  );
}
