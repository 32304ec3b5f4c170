import {
  askForReplay,
  knownChunk,
  type RecordedEvent,
  type Replay,
  replayed,
} from '@leadtrail/testing/recordings';
import type { TestService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { eventually } from './tracked-visits.ts';

/** Pages that are recorded, with or without the tracker, and what the service has of them. */

export const META = 4;
export const FULL_SNAPSHOT = 2;
export const INCREMENTAL = 3;
export const INPUT = 5;

/** What a page of these tests keeps in its window. */
export type RecordedWindow = Window & {
  session: string;
  begin(): void;
  stop?: (isUnwanted?: boolean) => void;
  /** What the recorder sent, in order; gzipped or as text. */
  sent: Promise<'gzip' | 'text'>[];
  /** What the service is said to answer, instead of being asked. */
  answers: number[];
};

/** One that the service knows and wants recorded. */
export async function aSession(service: TestService): Promise<string> {
  return (await knownChunk(service)).session_id;
}

/** A script that records its page as the tracker would, under a session that the test names. */
export function recorderScript(service: TestService, session: string): string {
  return `<script type="module">
    const page = window;
    page.session = ${JSON.stringify(session)};
    page.sent = [];
    page.answers = [];
    const { record } = await import('${service.url}/r.js');
    let sequence = 0;
    const { fetch } = page;
    page.fetch = (address, options) => {
      const answer = page.answers.shift();
      page.sent.push(new Response(options.body).bytes().then(([first, second]) =>
        first === 0x1f && second === 0x8b ? 'gzip' : 'text'));
      if (answer === undefined) return fetch(address, options);
      return answer ? Promise.resolve(new Response('', { status: answer })) : Promise.reject(new TypeError('No.'));
    };
    page.begin = () => page.stop = record({
      address: '${service.url}/track/replay',
      sessionId: () => page.session,
      nextSequence: () => sequence++,
    });
    page.begin();
  </script>`;
}

/** Loads a page, and waits until it is being recorded. */
export async function openRecorded(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() => (window as unknown as RecordedWindow).stop !== undefined);
}

export async function stopRecording(page: Page, isUnwanted = false): Promise<void> {
  await page.evaluate((isUnwanted) => (window as unknown as RecordedWindow).stop?.(isUnwanted), isUnwanted);
}

/** The recording, once it is as it should be. */
export async function replayWhen(
  service: TestService,
  session: string,
  isRight: (replay: Replay) => boolean,
): Promise<Replay> {
  const nothing = { session_id: session, started_at: 0, ended_at: 0, event_count: 0, events: [] };
  const replay = await eventually(
    async () => ((await askForReplay(service, session)).ok ? replayed(service, session) : nothing),
    isRight,
  );
  if (!isRight(replay)) throw new Error(`The recording has only ${describe(replay.events)}.`);
  return replay;
}

export function hasSnapshot({ events }: Replay): boolean {
  return events.some(({ type }) => type === FULL_SNAPSHOT);
}

export function hasText(text: string): (replay: Replay) => boolean {
  return ({ events }) => JSON.stringify(events).includes(text);
}

export function hrefs(events: readonly RecordedEvent[]): string[] {
  return events.filter(({ type }) => type === META).map(({ data }) => (data as { href: string }).href);
}

function describe(events: readonly RecordedEvent[]): string {
  return JSON.stringify(events.map(({ type }) => type));
}
