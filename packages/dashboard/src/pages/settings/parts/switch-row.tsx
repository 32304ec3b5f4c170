import { type ReactNode, useId } from 'react';
import { Switch } from '../../../ui/switch.tsx';

export function SwitchRow({
  label,
  hint,
  isOn,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="grid gap-0.5">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint != null && (
          <p id={`${id}-hint`} className="text-[0.8125rem] text-ink-faint">
            {hint}
          </p>
        )}
      </div>
      <Switch id={id} isOn={isOn} onChange={onChange} aria-describedby={`${id}-hint`} />
    </div>
  );
}
