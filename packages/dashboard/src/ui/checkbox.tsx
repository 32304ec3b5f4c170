import { Checkbox as Base } from '@base-ui/react/checkbox';
import { Check, Minus } from 'lucide-react';

export function Checkbox({
  isChecked,
  isMixed = false,
  onChange,
  label,
  ...tied
}: {
  isChecked: boolean;
  isMixed?: boolean;
  onChange: (isChecked: boolean) => void;
  label?: string;
  id?: string;
}) {
  return (
    <Base.Root
      {...tied}
      aria-label={label}
      checked={isChecked}
      indeterminate={isMixed}
      onCheckedChange={onChange}
      className="grid size-[1.125rem] shrink-0 place-items-center rounded-[0.3125rem] border border-line-control bg-surface data-checked:border-accent data-checked:bg-accent data-indeterminate:border-accent data-indeterminate:bg-accent"
    >
      <Base.Indicator className="text-accent-ink">
        {isMixed ? (
          <Minus aria-hidden="true" className="size-3.5" />
        ) : (
          <Check aria-hidden="true" className="size-3.5" />
        )}
      </Base.Indicator>
    </Base.Root>
  );
}
