/** The protocol between dashboard and player, which share no origin. */

export const GREETING = 'leadtrail-player';

export const SPEEDS = [1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

export type PlayerCommand =
  /** The service's response as text. */
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
