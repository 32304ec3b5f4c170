import type { Tone } from './badge.tsx';

/** How much there is to be said against an enquiry. */

const MEDIUM_FROM = 30;
/** From here on a lead counts as one of a bot, where that is looked for. */
const HIGH_FROM = 70;

export function riskOf(score: number): { label: string; tone: Tone; bar: string; isRaised: boolean } {
  if (score >= HIGH_FROM) return { label: 'High', tone: 'negative', bar: 'bg-negative', isRaised: true };
  if (score >= MEDIUM_FROM) return { label: 'Medium', tone: 'warning', bar: 'bg-warning', isRaised: true };
  return { label: 'Low', tone: 'neutral', bar: 'bg-positive', isRaised: false };
}
