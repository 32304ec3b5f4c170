import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { GREETING, type PlayerCommand, type PlayerNews } from '../../replay-frame/messages.ts';

export const PLAYER_PAGE = `${import.meta.env.BASE_URL}replay-frame.html`;

export type PlayerState = {
  status: 'starting' | 'ready' | 'failed';
  reason: string;
  durationMs: number;
  atMs: number;
  isPlaying: boolean;
  /** The address on screen. */
  page: string;
};

const INITIAL: PlayerState = {
  status: 'starting',
  reason: '',
  durationMs: 0,
  atMs: 0,
  isPlaying: false,
  page: '',
};
const START_TIMEOUT_MS = 20_000;

/** Controls the player in the frame, which starts once it has the recording. */
export function usePlayer(
  frame: RefObject<HTMLIFrameElement | null>,
  recording: string | undefined,
): { state: PlayerState; command: (command: PlayerCommand) => void } {
  const [port, setPort] = useState<MessagePort>();
  const [state, setState] = useState(INITIAL);
  const latestPort = useRef(port);
  latestPort.current = port;

  useEffect(() => {
    function onGreeting({ data, source, ports: [handedOver] }: MessageEvent) {
      const isPlayer = source !== null && source === frame.current?.contentWindow?.frames[0];
      if (isPlayer && data === GREETING && handedOver !== undefined) setPort(handedOver);
    }
    addEventListener('message', onGreeting);
    return () => removeEventListener('message', onGreeting);
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
    const reason = 'The player did not start. Try another browser.';
    const timer = setTimeout(
      () => setState((before) => ({ ...before, status: 'failed', reason })),
      START_TIMEOUT_MS,
    );
    return () => clearTimeout(timer);
  }, [isWaiting]);

  const command = useCallback((given: PlayerCommand) => {
    // Optimistic: a slider that jumps back before the player answers would seek to its old position.
    if (given.do === 'seek') setState((before) => ({ ...before, atMs: given.ms }));
    latestPort.current?.postMessage(given);
  }, []);
  return { state, command };
}

/** The player is untrusted: its messages are reduced to numbers, flags and text. */
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
