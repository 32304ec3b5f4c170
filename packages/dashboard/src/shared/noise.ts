/** Whether a change is more than chance. Small numbers move a lot from week to week without meaning anything. */

/** The 95 % confidence level. */
const Z = 1.96;

export const CHANCE = 'may be due to chance';

/** Counts vary by their square root (Poisson). */
export function isCountNoise(now: number, before: number): boolean {
  return Math.abs(now - before) < Z * Math.sqrt(now + before);
}

export type Share = { part: number; whole: number };

/** Two-proportion z-test. */
export function isShareNoise(now: Share, before: Share): boolean {
  const whole = now.whole + before.whole;
  if (now.whole === 0 || before.whole === 0) return true;
  const common = Math.min(1, (now.part + before.part) / whole);
  const spread = Math.sqrt(common * (1 - common) * (1 / now.whole + 1 / before.whole));
  return Math.abs(now.part / now.whole - before.part / before.whole) < Z * spread || spread === 0;
}
