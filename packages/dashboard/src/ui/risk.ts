import type { Tone } from './badge.tsx';

/** Levels of the suspicion score, which people read as risk. */

const MEDIUM_FROM = 30;
/** The service's threshold for bot leads. */
const HIGH_FROM = 70;

export function riskOf(score: number): { label: string; tone: Tone; bar: string; isRaised: boolean } {
  if (score >= HIGH_FROM) return { label: 'High', tone: 'negative', bar: 'bg-negative', isRaised: true };
  if (score >= MEDIUM_FROM) return { label: 'Medium', tone: 'warning', bar: 'bg-warning', isRaised: true };
  return { label: 'Low', tone: 'neutral', bar: 'bg-positive', isRaised: false };
}
