import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { Keyboard } from 'lucide-react';
import { Fragment, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { statusName } from '../ui/status-badge.tsx';
import { useKeys } from './use-keys.ts';

const OR = ' or ';
const MOVING: readonly Shortcut[] = [
  ['j or ↓', 'Next lead'],
  ['k or ↑', 'Previous lead'],
  ['Enter', 'Open the lead'],
  ['Escape', 'Back to the list'],
];
const STAGES = LEAD_STATUSES.map(
  (status, index): Shortcut => [String(index + 1), `Move to ${statusName(status)}`],
);
const UNDO: Shortcut = ['u', 'Undo the last move'];
const ACTING: readonly Shortcut[] = [
  ...STAGES,
  ['x', 'Select'],
  ['Shift X', 'Select all up to here'],
  ['r', 'Mark as reviewed'],
  ['n', 'Write a note (admin)'],
  ['f', 'Send to the automation platform (admin)'],
  UNDO,
];
const CARRYING: readonly Shortcut[] = [
  ['Tab', 'Next card'],
  ['Enter', 'Open the lead'],
  ['Space', 'Pick up or drop the card'],
  ['← or →', 'Move it to another stage'],
  ['Escape', 'Put it back'],
];
const ANYWHERE: readonly Shortcut[] = [
  ['/', 'Search'],
  ['Ctrl K or ⌘ K', 'Go to a person, page or action'],
  ['?', 'This help'],
];

type Shortcut = readonly [key: string, meaning: string];

/** A button, and the key `?`, that list all keys; the board has keys of its own. */
export function KeyboardHelp({ isBoard = false }: { isBoard?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  useKeys({ '?': () => setOpen(true) });
  return (
    <>
      <Button
        look="ghost"
        aria-label="Keyboard shortcuts"
        className="max-sm:hidden"
        icon={<Keyboard aria-hidden="true" />}
        onClick={() => setOpen(true)}
      />
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${isBoard ? 'Move' : 'Review'} leads by keyboard`}
      >
        <Shortcuts title="Moving" shortcuts={isBoard ? CARRYING : MOVING} />
        <Shortcuts
          title={isBoard ? 'The card that has the focus' : 'The lead'}
          shortcuts={isBoard ? [...STAGES, UNDO] : ACTING}
        />
        <Shortcuts title="Anywhere" shortcuts={ANYWHERE} />
      </Dialog>
    </>
  );
}

function Shortcuts({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section className="grid gap-1.5">
      <h3 className="text-[0.8125rem] font-medium text-ink-faint">{title}</h3>
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1">
        {shortcuts.map(([key, meaning]) => (
          <div key={key} className="contents">
            <dt>
              {key.split(OR).map((each, index) => (
                <Fragment key={each}>
                  {index > 0 && OR}
                  <kbd className="rounded border border-line-strong bg-sunken px-1.5 font-mono text-xs">
                    {each}
                  </kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
