import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { GREETING, type PlayerCommand, type PlayerNews } from '../../replay-frame/messages.ts';

export const PLAYER_PAGE = `${import.meta.env.BASE_URL}replay-frame.html`;

export type PlayerState = {
  status: 'starting' | 'ready' | 'failed';
  /** Why it failed. */
  reason: string;
  durationMs: number;
  atMs: number;
  isPlaying: boolean;
  /** The address that is shown at the moment. */
  page: string;
};

const AT_FIRST: PlayerState = {
  status: 'starting',
  reason: '',
  durationMs: 0,
  atMs: 0,
  isPlaying: false,
  page: '',
};
const PATIENCE_MS = 20_000;

/** Speaks with the player in the frame; it begins to play as soon as it has the recording. */
export function usePlayer(
  frame: RefObject<HTMLIFrameElement | null>,
  recording: string | undefined,
): { state: PlayerState; command: (command: PlayerCommand) => void } {
  const [port, setPort] = useState<MessagePort>();
  const [state, setState] = useState(AT_FIRST);
  const latestPort = useRef(port);
  latestPort.current = port;

  useEffect(() => {
    function greet({ data, source, ports: [handedOver] }: MessageEvent) {
      const isPlayer = source !== null && source === frame.current?.contentWindow?.frames[0];
      if (isPlayer && data === GREETING && handedOver !== undefined) setPort(handedOver);
    }
    addEventListener('message', greet);
    return () => removeEventListener('message', greet);
  }, [frame]);

  useEffect(() => {
    if (port === undefined || recording === undefined) return;
    port.onmessage = ({ data }: MessageEvent<PlayerNews>) => setState((before) => after(before, data));
    port.postMessage({ do: 'load', recording } satisfies PlayerCommand);
    port.postMessage({ do: 'play' } satisfies PlayerCommand);
  }, [port, recording]);

  const isWaiting = recording !== undefined && state.status === 'starting';
  useEffect(() => {
    if (!isWaiting) return;
    const reason = 'The player did not start. Another browser may be able to show it.';
    const timer = setTimeout(
      () => setState((before) => ({ ...before, status: 'failed', reason })),
      PATIENCE_MS,
    );
    return () => clearTimeout(timer);
  }, [isWaiting]);

  const command = useCallback((given: PlayerCommand) => {
    // At once: a slider that jumps back until the player has answered would ask for its old place again.
    if (given.do === 'seek') setState((before) => ({ ...before, atMs: given.ms }));
    latestPort.current?.postMessage(given);
  }, []);
  return { state, command };
}

/** The player is not trusted: of what it says only numbers, flags and text are taken. */
function after(before: PlayerState, news: PlayerNews): PlayerState {
  switch (news?.is) {
    case 'loaded':
      return { ...before, status: 'ready', durationMs: Number(news.durationMs) || 0 };
    case 'at':
      return {
        ...before,
        atMs: Math.round(Number(news.ms)) || 0,
        isPlaying: news.isPlaying === true,
        page: String(news.page),
      };
    case 'failed':
      return { ...before, status: 'failed', reason: String(news.reason) };
    default:
      return before;
  }
}
