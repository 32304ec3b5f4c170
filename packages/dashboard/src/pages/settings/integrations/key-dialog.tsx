import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import { CodeBlock, CopyLine } from '../parts/code-block.tsx';
import { Note } from '../parts/note.tsx';

export type NewKey = { name: string; key: string };

/** Shows a new key, which cannot be shown again; closing takes a confirmation. */
export function KeyDialog({ newKey, onClose }: { newKey: NewKey | null; onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const shown = useLastGiven(newKey);

  function close() {
    setAsking(false);
    onClose();
  }

  return (
    <>
      <Dialog
        isOpen={newKey !== null}
        onClose={() => setAsking(true)}
        title={`Key for ${shown?.name}`}
        width="wide"
      >
        <div className="grid min-w-0 gap-4">
          <Note tone="warning">
            <p>
              Copy the key now and store it safely, for example in a password manager. It is shown only once.
            </p>
          </Note>
          <CopyLine title="Key" text={shown?.key ?? ''} />
          <div className="grid gap-1.5">
            <p className="text-[0.8125rem] font-medium">Sending a lead with it</p>
            <CodeBlock code={exampleOf(shown?.key ?? '')} copyLabel="Copy example" />
          </div>
          <Button look="primary" className="justify-self-end" onClick={close}>
            I have stored the key
          </Button>
        </div>
      </Dialog>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={close}
        title="Have you stored the key?"
        action="Close"
      >
        <p>It cannot be shown again. If it is lost, you have to create a new one.</p>
      </ConfirmDialog>
    </>
  );
}

function exampleOf(key: string): string {
  return `curl ${location.origin}/lead.capture \\
  -H 'X-API-Key: ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"FIRSTNAME": "Ada", "EMAIL": "ada@example.org", "PROJECT": "Riverside", "SOURCE": "Partner"}'`;
}
