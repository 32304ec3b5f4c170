import { ArrowDown, ArrowUp, Ellipsis, GripVertical, Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Menu } from '../../../ui/menu.tsx';
import type { OptionKind } from '../search.ts';
import { OptionDialog } from './option-dialog.tsx';
import type { DropdownOption } from './option-queries.ts';
import { useDeletingOption } from './use-deleting-option.ts';
import { shiftOf, useDrag } from './use-drag.ts';
import { useOrder } from './use-order.ts';

/** The options of a kind, reordered by pointer or keyboard. */
export function OptionList({
  kind,
  label,
  options,
}: {
  kind: OptionKind;
  label: string;
  options: readonly DropdownOption[];
}) {
  const helpId = useId();
  const { ordered, move } = useOrder(kind, options);
  const [announcement, setAnnouncement] = useState('');
  const [editing, setEditing] = useState<DropdownOption | null>(null);
  const deleteOption = useDeletingOption(kind);
  const handles = useRef(new Map<number, HTMLButtonElement>());
  const moved = useRef<number>(undefined);
  const { list, start, drag } = useDrag((from, to) => moveTo(from, to));
  // A moved row loses the focus.
  useEffect(() => {
    if (moved.current !== undefined) handles.current.get(moved.current)?.focus();
    moved.current = undefined;
  });

  function moveTo(from: number, to: number) {
    const option = ordered[from];
    if (option === undefined || to < 0 || to >= ordered.length) return;
    move(option.id, to);
    setAnnouncement(`${option.label} is now ${to + 1} of ${ordered.length}`);
  }

  function onKeyDown(event: KeyboardEvent, index: number) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moved.current = ordered[index]?.id;
    moveTo(index, index + step);
  }

  return (
    <>
      <p id={helpId} className="px-4 pb-2 text-[0.8125rem] text-ink-faint sm:px-5">
        Drag the handle to change the order, or focus it and press the arrow keys.
      </p>
      <ul
        ref={list}
        aria-label={label}
        className={classes('border-t border-line', drag !== null && 'select-none')}
      >
        {ordered.map((option, index) => (
          <li
            key={option.id}
            style={{ transform: drag === null ? undefined : `translateY(${shiftOf(drag, index)}px)` }}
            className={classes(
              'flex items-center gap-2 border-b border-line bg-surface px-2 py-1 last:rounded-b-xl last:border-b-0 sm:px-3',
              drag !== null && drag.from !== index && 'transition-transform duration-150',
              drag?.from === index && 'relative z-10 rounded-lg bg-raised shadow-raised',
            )}
          >
            <button
              type="button"
              ref={(handle) => {
                if (handle === null) handles.current.delete(option.id);
                else handles.current.set(option.id, handle);
              }}
              aria-label={`Move ${option.label}`}
              aria-describedby={helpId}
              onPointerDown={(event) => start(event, index)}
              onKeyDown={(event) => onKeyDown(event, index)}
              className="grid size-11 shrink-0 cursor-grab touch-none place-items-center rounded-lg text-ink-faint hover:bg-sunken hover:text-ink active:cursor-grabbing sm:size-9"
            >
              <GripVertical aria-hidden="true" className="size-4" />
            </button>
            <div className="min-w-0 flex-1 py-1 [overflow-wrap:anywhere]">
              <span className="font-medium">{option.label}</span>
              {option.label !== option.value && (
                <code className="ml-2 font-mono text-xs text-ink-faint">{option.value}</code>
              )}
            </div>
            <Button
              look="ghost"
              className="max-sm:hidden"
              aria-label={`Edit ${option.label}`}
              icon={<Pencil aria-hidden="true" />}
              onClick={() => setEditing(option)}
            />
            <Menu
              trigger={
                <Button
                  look="ghost"
                  aria-label={`Actions for ${option.label}`}
                  icon={<Ellipsis aria-hidden="true" />}
                />
              }
              entries={[
                { label: 'Edit', icon: <Pencil aria-hidden="true" />, onSelect: () => setEditing(option) },
                {
                  label: 'Move up',
                  icon: <ArrowUp aria-hidden="true" />,
                  isDisabled: index === 0,
                  onSelect: () => moveTo(index, index - 1),
                },
                {
                  label: 'Move down',
                  icon: <ArrowDown aria-hidden="true" />,
                  isDisabled: index === ordered.length - 1,
                  onSelect: () => moveTo(index, index + 1),
                },
                {
                  label: 'Delete',
                  icon: <Trash2 aria-hidden="true" />,
                  isDangerous: true,
                  onSelect: () => deleteOption(option),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <OptionDialog option={editing} ordered={ordered} onMove={move} onClose={() => setEditing(null)} />
    </>
  );
}
