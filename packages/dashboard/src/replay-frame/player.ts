import { Replayer } from '@rrweb/replay';
import styles from '@rrweb/replay/dist/style.css?inline';
import { type InertEvent, inertEvents } from './inert.ts';
import { GREETING, type PlayerCommand, type PlayerNews, type Speed } from './messages.ts';

/** Rebuilds and plays a recording, controlled by the dashboard over a message port. */

const PROGRESS_MS = 100;
const META = 4;
const FULL_SNAPSHOT = 2;
const OWN_STYLES = `
  html, body { margin: 0; height: 100%; overflow: hidden; background: transparent; }
  .replayer-wrapper { position: absolute !important; top: 0; left: 0; transform-origin: 0 0; }
  .replayer-wrapper > iframe { border: 0; background: #fff; }
`;

type Player = {
  play(): void;
  pause(): void;
  seek(ms: number): void;
  setSpeed(speed: Speed): void;
  setSkip(isOn: boolean): void;
};

export function openPlayer(): void {
  const style = document.createElement('style');
  style.textContent = styles + OWN_STYLES;
  document.head.append(style);

  const { port1: port, port2: handedOver } = new MessageChannel();
  let player: Player | undefined;
  const tell = (news: PlayerNews) => port.postMessage(news);
  port.onmessage = ({ data }: MessageEvent<PlayerCommand>) => {
    try {
      if (data.do === 'load') player ??= load(data.recording, tell);
      else if (player !== undefined) apply(player, data);
    } catch (error) {
      tell({ is: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  };
  // The dashboard is two frames up.
  window.parent.parent.postMessage(GREETING, '*', [handedOver]);
}

function apply(player: Player, command: Exclude<PlayerCommand, { do: 'load' }>): void {
  if (command.do === 'play') player.play();
  else if (command.do === 'pause') player.pause();
  else if (command.do === 'seek') player.seek(command.ms);
  else if (command.do === 'speed') player.setSpeed(command.speed);
  else player.setSkip(command.isOn);
}

function load(recording: string, tell: (news: PlayerNews) => void): Player {
  const events = inertEvents((JSON.parse(recording) as { events: unknown }).events);
  const firstPage = events.find(({ type }) => type === FULL_SNAPSHOT);
  if (events.length < 2 || firstPage === undefined) throw new Error('It contains no page to show.');

  const replayer = new Replayer(events as never, {
    root: document.body,
    speed: 1,
    skipInactive: true,
    showWarning: false,
    triggerFocus: false,
    mouseTail: { strokeStyle: '#0f766e', lineWidth: 2, duration: 500 },
  });
  keepInView(replayer);

  const { startTime, totalTime } = replayer.getMetaData();
  const pageAt = pagesOf(events, startTime);
  // Seeking before the first snapshot would leave a later page on screen.
  const shownFromMs = firstPage.timestamp - startTime + 1;
  let isPlaying = false;
  let atMs = 0;

  function report(): void {
    if (isPlaying) atMs = Math.min(replayer.getCurrentTime(), totalTime);
    tell({ is: 'at', ms: atMs, isPlaying, page: pageAt(atMs) });
  }
  setInterval(() => isPlaying && report(), PROGRESS_MS);
  replayer.on('finish', () => {
    isPlaying = false;
    atMs = totalTime;
    report();
  });
  tell({ is: 'loaded', durationMs: totalTime });
  report();

  function moveTo(ms: number): void {
    atMs = Math.min(Math.max(ms, 0), totalTime);
    const shownMs = Math.max(atMs, shownFromMs);
    if (isPlaying) replayer.play(shownMs);
    else replayer.pause(shownMs);
    report();
  }
  return {
    play() {
      isPlaying = true;
      moveTo(atMs >= totalTime ? 0 : atMs);
    },
    pause() {
      if (isPlaying) atMs = Math.min(replayer.getCurrentTime(), totalTime);
      isPlaying = false;
      replayer.pause();
      report();
    },
    seek: moveTo,
    setSpeed: (speed) => replayer.setConfig({ speed }),
    setSkip: (isOn) => replayer.setConfig({ skipInactive: isOn }),
  };
}

/** Scales the page down to fit, never up. */
function keepInView(replayer: Replayer): void {
  function fit(): void {
    const width = Number.parseFloat(replayer.iframe.width) || innerWidth;
    const height = Number.parseFloat(replayer.iframe.height) || innerHeight;
    const scale = Math.min(innerWidth / width, innerHeight / height, 1);
    const left = Math.max((innerWidth - width * scale) / 2, 0);
    const top = Math.max((innerHeight - height * scale) / 2, 0);
    replayer.wrapper.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  }
  replayer.on('resize', () => queueMicrotask(fit));
  addEventListener('resize', fit);
}

/** Looks up the address at a time in the recording. */
function pagesOf(events: readonly InertEvent[], startTime: number): (ms: number) => string {
  const pages = events.filter(({ type, data }) => type === META && typeof data.href === 'string');
  return (ms) => {
    const page = pages.findLast(({ timestamp }) => timestamp - startTime <= ms) ?? pages[0];
    return String(page?.data.href ?? '');
  };
}
