import { Maximize, Minimize, Pause, Play } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react';
import { type PlayerCommand, SPEEDS, type Speed } from '../../replay-frame/messages.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Switch } from '../../ui/switch.tsx';
import type { PlayerState } from './use-player.ts';

const STEP_MS = 5000;

export type Controls = {
  toggle: () => void;
  seek: (ms: number) => void;
  /** Negative: back. */
  skip: (steps: number) => void;
  speed: Speed;
  setSpeed: (speed: Speed) => void;
  isSkipping: boolean;
  setSkipping: (isOn: boolean) => void;
  isFullscreen: boolean;
  toggleFullscreen: () => void;
};

export function useControls(
  state: PlayerState,
  command: (command: PlayerCommand) => void,
  box: RefObject<HTMLElement | null>,
): Controls {
  const [speed, setSpeed] = useState<Speed>(1);
  const [isSkipping, setSkipping] = useState(true);
  const [isFullscreen, setFullscreen] = useState(false);
  useEffect(() => {
    const update = () => setFullscreen(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', update);
    return () => document.removeEventListener('fullscreenchange', update);
  }, []);

  const seek = (ms: number) => command({ do: 'seek', ms: Math.min(Math.max(ms, 0), state.durationMs) });
  return {
    toggle: () => command({ do: state.isPlaying ? 'pause' : 'play' }),
    seek,
    skip: (steps) => seek(state.atMs + steps * STEP_MS),
    speed,
    setSpeed(chosen) {
      setSpeed(chosen);
      command({ do: 'speed', speed: chosen });
    },
    isSkipping,
    setSkipping(isOn) {
      setSkipping(isOn);
      command({ do: 'skip-inactivity', isOn });
    },
    isFullscreen,
    // Not every browser supports full screen.
    toggleFullscreen() {
      const change = isFullscreen ? document.exitFullscreen() : box.current?.requestFullscreen?.();
      change?.catch(() => undefined);
    },
  };
}

export function ReplayControls({ state, controls }: { state: PlayerState; controls: Controls }) {
  const isReady = state.status === 'ready';
  const skipId = useId();
  const hasEnded = !state.isPlaying && state.durationMs > 0 && state.atMs >= state.durationMs;
  return (
    <div className="grid gap-2">
      <Scrubber state={state} controls={controls} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          look="primary"
          disabled={!isReady}
          aria-label={state.isPlaying ? 'Pause' : hasEnded ? 'Play again' : 'Play'}
          icon={state.isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
          onClick={controls.toggle}
        />
        <p className="text-[0.8125rem] text-ink-soft tabular-nums">
          {clock(state.atMs)} / {clock(state.durationMs)}
        </p>
        <Speeds controls={controls} isReady={isReady} />
        <div className="flex items-center gap-2 max-sm:min-h-11">
          <Switch
            id={skipId}
            isOn={controls.isSkipping}
            onChange={controls.setSkipping}
            disabled={!isReady}
          />
          <label htmlFor={skipId} className="text-[0.8125rem] text-ink-soft">
            Skip inactivity
          </label>
        </div>
        <Button
          look="ghost"
          className="ml-auto"
          aria-label={controls.isFullscreen ? 'Leave full screen' : 'Full screen'}
          icon={controls.isFullscreen ? <Minimize aria-hidden="true" /> : <Maximize aria-hidden="true" />}
          onClick={controls.toggleFullscreen}
        />
      </div>
    </div>
  );
}

const MOVES: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 6,
  PageDown: -6,
};

function Scrubber({ state, controls }: { state: PlayerState; controls: Controls }) {
  function onKeyDown(event: KeyboardEvent) {
    const steps = MOVES[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    controls.skip(steps);
  }
  return (
    <input
      type="range"
      aria-label="Position"
      aria-valuetext={`${clock(state.atMs)} of ${clock(state.durationMs)}`}
      min={0}
      max={Math.max(state.durationMs, 1)}
      value={state.atMs}
      disabled={state.status !== 'ready'}
      onChange={(event) => controls.seek(event.target.valueAsNumber)}
      onKeyDown={onKeyDown}
      className="h-6 w-full accent-accent max-sm:h-11"
    />
  );
}

function Speeds({ controls, isReady }: { controls: Controls; isReady: boolean }) {
  return (
    <fieldset className="flex gap-1 rounded-lg bg-sunken p-1">
      <legend className="sr-only">Speed</legend>
      {SPEEDS.map((speed) => (
        <button
          key={speed}
          type="button"
          disabled={!isReady}
          aria-pressed={controls.speed === speed}
          onClick={() => controls.setSpeed(speed)}
          className={classes(
            'h-7 min-w-9 rounded-md px-2 text-[0.8125rem] font-medium tabular-nums max-sm:h-9 max-sm:min-w-11',
            controls.speed === speed ? 'bg-surface text-ink shadow-sm' : 'text-ink-soft',
          )}
        >
          {speed}×
        </button>
      ))}
    </fieldset>
  );
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}
