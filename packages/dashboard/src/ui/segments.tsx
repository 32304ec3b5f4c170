import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import { useEffect, useRef } from 'react';
import { bringIntoRow } from './bring-into-row.ts';
import { SEGMENT, SEGMENT_ROW } from './segment.ts';

/** A segmented control. */
export function Segments<V extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: V;
  choices: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}) {
  const row = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Which of them is pressed is the value.
  useEffect(() => {
    const pressed = row.current?.querySelector<HTMLElement>('[data-pressed]');
    if (pressed != null) bringIntoRow(pressed);
  }, [value]);
  return (
    // As wide as its choices, but never wider than its container.
    <div className="grid max-w-full min-w-0 grid-cols-[minmax(0,max-content)]">
      <ToggleGroup
        ref={row}
        aria-label={label}
        value={[value]}
        onValueChange={([chosen]) => chosen !== undefined && onChange(chosen as V)}
        className={SEGMENT_ROW}
      >
        {choices.map((choice) => (
          <Toggle key={choice.value} value={choice.value} className={SEGMENT}>
            {choice.label}
          </Toggle>
        ))}
      </ToggleGroup>
    </div>
  );
}
