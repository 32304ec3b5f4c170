import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../../../ui/classes.ts';

const LOOKS = {
  info: { classes: 'bg-info-soft text-info', icon: Info },
  warning: { classes: 'bg-warning-soft text-warning', icon: TriangleAlert },
  positive: { classes: 'bg-positive-soft text-positive', icon: CircleCheck },
} as const;

export function Note({ tone = 'info', children }: { tone?: keyof typeof LOOKS; children: ReactNode }) {
  const { classes: look, icon: Icon } = LOOKS[tone];
  return (
    <div className={classes('flex gap-2.5 rounded-lg px-3 py-2.5', look)}>
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 gap-1 [overflow-wrap:anywhere] text-ink">{children}</div>
    </div>
  );
}
