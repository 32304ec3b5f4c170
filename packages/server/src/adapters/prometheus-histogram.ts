/** Upper bounds of the request durations, in seconds. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export type Labels = Readonly<Record<string, string>>;
export type Sample = { suffix?: string; labels?: Labels; value: number };
export type Histogram = { counts: number[]; total: number; sum: number };

export function emptyHistogram(): Histogram {
  return { counts: DURATION_BUCKETS_S.map(() => 0), total: 0, sum: 0 };
}

export function observe(histogram: Histogram, seconds: number): void {
  histogram.total += 1;
  histogram.sum += seconds;
  let bucket = 0;
  while (seconds > (DURATION_BUCKETS_S[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
  if (bucket < histogram.counts.length) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
}

/** Prometheus buckets are cumulative. */
export function histogramSamples(labels: Labels, { counts, total, sum }: Histogram): Sample[] {
  let below = 0;
  const buckets = DURATION_BUCKETS_S.map((bound, index) => {
    below += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: total },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: total },
  ];
}
