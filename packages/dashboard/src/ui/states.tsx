import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classes('animate-pulse rounded-md bg-sunken', className)} />;
}

export function SkeletonRows({ rows = 8, className }: { rows?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className={classes('grid gap-2.5 p-4', className)}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: They are all the same.
        <Skeleton key={row} className="h-9" />
      ))}
    </div>
  );
}

export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="grid place-items-center gap-2 px-6 py-14 text-center">
      {icon != null && (
        <div className="mb-1 grid size-11 place-items-center rounded-full bg-sunken text-ink-faint [&_svg]:size-5">
          {icon}
        </div>
      )}
      <p className="text-[0.9375rem] font-medium">{title}</p>
      {children != null && <div className="max-w-md text-balance text-ink-soft">{children}</div>}
      {action != null && <div className="mt-2">{action}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const isForbidden = error instanceof Error && 'status' in error && error.status === 403;
  return (
    <div role="alert" className="grid place-items-center gap-2 px-6 py-12 text-center">
      <div className="grid size-11 place-items-center rounded-full bg-negative-soft text-negative">
        <CircleAlert aria-hidden="true" className="size-5" />
      </div>
      <p className="text-[0.9375rem] font-medium">
        {isForbidden ? 'This needs the admin key' : 'This could not be loaded'}
      </p>
      <p className="max-w-md text-balance text-ink-soft">
        {error instanceof Error ? error.message : String(error)}
      </p>
      {onRetry !== undefined && !isForbidden && (
        <Button size="small" className="mt-2" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
