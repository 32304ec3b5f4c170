import { X } from 'lucide-react';

/** A filter in use; a click removes it. */
export function FilterChip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove filter ${name}: ${value}`}
      onClick={onRemove}
      className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-full bg-accent-soft px-3 text-[0.8125rem] font-medium text-accent-text hover:brightness-95 max-sm:min-h-11"
    >
      <span className="min-w-0 truncate">
        {name}: <bdi>{value}</bdi>
      </span>
      <X aria-hidden="true" className="size-3.5 shrink-0" />
    </button>
  );
}
