import type { COMPARISONS, PERIOD_NAMES } from '@leadtrail/contract/question-fields';

export type PeriodName = (typeof PERIOD_NAMES)[number];
/** The name of a period, or `2026-10-01..2026-10-31`. */
export type When = PeriodName | `${string}..${string}`;
export type Comparison = (typeof COMPARISONS)[number] | 'none';
