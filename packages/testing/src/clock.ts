import { NOON } from './builders.ts';

/** The time as the service sees it; it stands still until a test moves it. */
export type Clock = { now: () => number; set(at: number): void; advance(ms: number): void };

export function aClock(at = NOON): Clock {
  let time = at;
  return {
    now: () => time,
    set(to) {
      time = to;
    },
    advance(ms) {
      time += ms;
    },
  };
}
