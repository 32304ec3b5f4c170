/** What the dashboard and the player say to each other. They share no origin and nothing else. */

export const GREETING = 'leadtrail-player';

export const SPEEDS = [1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

export type PlayerCommand =
  /** The answer of the service, as it came. */
  | { do: 'load'; recording: string }
  | { do: 'play' }
  | { do: 'pause' }
  | { do: 'seek'; ms: number }
  | { do: 'speed'; speed: Speed }
  | { do: 'skip-inactivity'; isOn: boolean };

export type PlayerNews =
  | { is: 'loaded'; durationMs: number }
  | { is: 'at'; ms: number; isPlaying: boolean; page: string }
  | { is: 'failed'; reason: string };
