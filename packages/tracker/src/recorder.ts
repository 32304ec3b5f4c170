import { record as recordPage } from '@rrweb/record';
import { type Delivery, type Destination, openDelivery } from './recorder/delivery.ts';
import { MASKING, maskRest, type RecordedEvent } from './recorder/masking.ts';

export type RecorderOptions = Destination & {
  /** The current session. */
  sessionId(): string;
};

/** rrweb event types. */
const FULL_SNAPSHOT = 2;
const META = 4;

const MOUSE_EVERY_MS = 100;
const SCROLL_EVERY_MS = 150;

/**
 * Records this page until it is stopped or uploads fail for good. Stopping it as unwanted discards unsent
 * events. Never throws into the page.
 */
export function record(options: RecorderOptions): (isUnwanted?: boolean) => void {
  let session: string | undefined;
  let hasSnapshot = false;
  let stopRecording: (() => void) | undefined;
  const delivery: Delivery = openDelivery(options, () => stop(true));

  function take(event: RecordedEvent): void {
    const current = options.sessionId();
    if (session !== undefined && session !== current) {
      // A recording starts with a full snapshot, which includes this event's change.
      hasSnapshot = false;
      setTimeout(takeSnapshot);
    }
    session = current;
    // Events before the first snapshot cannot be played.
    hasSnapshot ||= event.type === META;
    if (!hasSnapshot || !maskRest(event)) return;
    delivery.add(current, JSON.stringify(event));
    if (event.type === FULL_SNAPSHOT) delivery.flush();
  }

  function takeSnapshot(): void {
    quietly(() => stopRecording && recordPage.takeFullSnapshot(true));
  }

  function stop(isUnwanted?: boolean): void {
    const end = stopRecording;
    stopRecording = undefined;
    removeEventListener('pagehide', leave);
    document.removeEventListener('visibilitychange', hide);
    if (end) quietly(end);
    quietly(() => delivery.end(isUnwanted));
  }

  function leave(): void {
    stop();
  }

  function hide(): void {
    if (document.hidden) delivery.flush();
  }

  quietly(() => {
    stopRecording = recordPage<RecordedEvent>({
      ...MASKING,
      emit: (event) => quietly(() => take(event)),
      sampling: { mousemove: MOUSE_EVERY_MS, scroll: SCROLL_EVERY_MS, input: 'last' },
      slimDOMOptions: 'all',
      recordCanvas: false,
      recordCrossOriginIframes: false,
      collectFonts: false,
      inlineImages: false,
      errorHandler: () => true,
    });
    addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', hide);
  });
  return stop;
}

function quietly(run: () => void): void {
  try {
    run();
  } catch {}
}
