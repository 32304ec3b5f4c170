import { Badge, type Tone } from './badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  Cold: 'neutral',
  Cool: 'info',
  Warm: 'warning',
  Hot: 'accent',
  'Very Hot': 'positive',
};

export function EngagementBadge({ label, score }: { label: string; score: number }) {
  return (
    <Badge tone={TONES[label] ?? 'neutral'} title={`Engagement ${score} of 100`}>
      {label} <span className="font-normal tabular-nums">{score}</span>
    </Badge>
  );
}
