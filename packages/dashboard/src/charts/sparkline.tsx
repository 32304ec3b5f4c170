import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { classes } from '../ui/classes.ts';
import { FILLS, STROKES, type Tone } from './tones.ts';

const WIDTH = 100;
const HEIGHT = 28;
const PADDING = 2;

export function Sparkline({
  label,
  values,
  tone = 1,
  className,
}: {
  label: string;
  values: readonly number[];
  tone?: Tone;
  className?: string;
}) {
  const points = [...values];
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [0, WIDTH]);
  const y = scaleLinear([0, max(points) || 1], [HEIGHT - PADDING, PADDING]);
  const outline = line<number>((_, index) => x(index), y);
  const body = area<number>((_, index) => x(index), HEIGHT, y);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes('block h-7 w-full', className)}
    >
      <path d={body(points) ?? ''} className={FILLS[tone]} fillOpacity={0.12} />
      <path
        d={outline(points) ?? ''}
        fill="none"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
        className={STROKES[tone]}
      />
    </svg>
  );
}
