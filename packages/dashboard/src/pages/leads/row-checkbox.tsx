import { useEffect, useRef } from 'react';

/** A plain input, because a hundred of them render at once. */
export function RowCheckbox({
  label,
  isChecked,
  isMixed = false,
  onChange,
}: {
  label: string;
  isChecked: boolean;
  isMixed?: boolean;
  onChange: (isRange: boolean) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label className="grid size-10 place-items-center select-none max-sm:h-11 group-data-compact/table:h-8">
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        onChange={(event) => onChange((event.nativeEvent as MouseEvent).shiftKey === true)}
        className="size-[1.125rem]"
      />
    </label>
  );
}
