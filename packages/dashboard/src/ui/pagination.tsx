import { ChevronLeft, ChevronRight } from 'lucide-react';
import { formatNumber } from '../format.ts';
import { Button } from './button.tsx';

export function Pagination({
  offset,
  limit,
  total,
  onMove,
}: {
  offset: number;
  limit: number;
  total: number;
  onMove: (offset: number) => void;
}) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-between gap-4 border-t border-line px-4 py-2.5 text-ink-soft"
    >
      <p aria-live="polite" className="text-[0.8125rem] tabular-nums">
        {formatNumber(Math.min(offset + 1, total))}–{formatNumber(last)} of {formatNumber(total)}
      </p>
      <div className="flex gap-1">
        <Button
          look="ghost"
          size="small"
          aria-label="Previous page"
          icon={<ChevronLeft aria-hidden="true" />}
          disabled={offset === 0}
          onClick={() => onMove(Math.max(0, offset - limit))}
        />
        <Button
          look="ghost"
          size="small"
          aria-label="Next page"
          icon={<ChevronRight aria-hidden="true" />}
          disabled={last >= total}
          onClick={() => onMove(offset + limit)}
        />
      </div>
    </nav>
  );
}
