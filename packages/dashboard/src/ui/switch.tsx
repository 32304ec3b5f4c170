import { Switch as Base } from '@base-ui/react/switch';

export function Switch({
  isOn,
  onChange,
  label,
  ...tied
}: {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** For screen readers, where no visible label is linked to it. */
  label?: string;
  id?: string;
  disabled?: boolean;
  'aria-describedby'?: string;
}) {
  return (
    <Base.Root
      {...tied}
      aria-label={label}
      checked={isOn}
      onCheckedChange={onChange}
      className="relative inline-flex h-5 w-9 shrink-0 items-center rounded-full bg-line-control align-middle transition-colors data-checked:bg-accent data-disabled:opacity-50"
    >
      <Base.Thumb className="block size-4 translate-x-0.5 rounded-full bg-white shadow transition-transform data-checked:translate-x-[1.125rem]" />
    </Base.Root>
  );
}
