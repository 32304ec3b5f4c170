import { makeStoreReplay } from '../../packages/server/src/flows/store-replay.ts';
import { DAY_MS, SECOND_MS } from '../../packages/server/src/lib/utc-time.ts';
import type { ObjectStore } from '../../packages/server/src/ports/objects.ts';
import type { Store } from '../../packages/server/src/store/store.ts';
import { landingPage, type PageIds } from './landing-page.ts';
import type { Random } from './random.ts';
import type { Visit } from './visits.ts';

/** Recordings of some visits. */

type ReplayEvent = { type: number; timestamp: number; data: Record<string, unknown> };

/** Event types of rrweb. */
const TYPE = { domContentLoaded: 0, load: 1, fullSnapshot: 2, incremental: 3, meta: 4 } as const;
const SOURCE = { mouseMove: 1, mouseInteraction: 2, scroll: 3, input: 5 } as const;
const INTERACTION = { click: 2, focus: 5 } as const;

/** Retention deletes older recordings. */
const RECORDED_DAYS = 20;
const MOVES_PER_EVENT = 8;
const MOVE_MS = 60;

export async function recordVisits(
  parts: { store: Store; objects: ObjectStore },
  visits: readonly Visit[],
  count: number,
  random: Random,
  now: number,
): Promise<void> {
  for (const visit of worthRecording(visits, count, now)) {
    const events = recordingOf(visit, random);
    const half = Math.ceil(events.length / 2);
    const chunks = [events.slice(0, half), events.slice(half)];
    for (const [sequence, chunk] of chunks.entries()) {
      const lastAt = chunk.at(-1)?.timestamp ?? visit.startedAt;
      const storeReplay = makeStoreReplay({
        ...parts,
        isRecent: () => true,
        storageMb: async () => 0,
        now: () => lastAt,
      });
      await storeReplay({
        session_id: visit.sessionId,
        sequence,
        events: {
          json: Buffer.from(JSON.stringify(chunk)),
          count: chunk.length,
          firstAt: chunk[0]?.timestamp ?? visit.startedAt,
          lastAt,
        },
      });
    }
  }
}

/** Visits with an enquiry first, then the latest. */
function worthRecording(visits: readonly Visit[], count: number, now: number): Visit[] {
  const recent = visits.filter(
    ({ startedAt, lastAt, interest }) =>
      interest > 0 && startedAt > now - RECORDED_DAYS * DAY_MS && lastAt - startedAt > 15 * SECOND_MS,
  );
  const hasSubmitted = ({ records }: Visit) =>
    records.some(
      (record) => record.kind === 'events' && record.events.some(({ type }) => type === 'form_submit'),
    );
  const submitted = recent.filter(hasSubmitted);
  const others = recent.filter((visit) => !hasSubmitted(visit));
  const fromSubmitted = Math.ceil(count * 0.75);
  return [...submitted.slice(-fromSubmitted), ...others.slice(fromSubmitted - count)].slice(0, count);
}

function recordingOf(visit: Visit, random: Random): ReplayEvent[] {
  const { device, client } = visit.visitor;
  const { node, ids, pageHeight } = landingPage(client);
  const width = Math.min(device.width, 1440);
  const height = Math.min(device.height, 900);
  const events: ReplayEvent[] = [];
  let at = visit.startedAt;
  const add = (type: number, data: Record<string, unknown>) =>
    void events.push({ type, timestamp: at, data });
  const incremental = (source: number, data: Record<string, unknown>) =>
    add(TYPE.incremental, { source, ...data });

  add(TYPE.domContentLoaded, {});
  add(TYPE.load, {});
  add(TYPE.meta, { href: visit.entryPage, width, height });
  add(TYPE.fullSnapshot, { node, initialOffset: { left: 0, top: 0 } });

  let place = { x: width * 0.4, y: height * 0.3 };
  function moveTo(x: number, y: number): void {
    at += 700 + random.integer(0, 900);
    const positions = Array.from({ length: MOVES_PER_EVENT }, (_, i) => {
      const share = (i + 1) / MOVES_PER_EVENT;
      return {
        x: Math.round(place.x + (x - place.x) * share + random.integer(-6, 6)),
        y: Math.round(place.y + (y - place.y) * share + random.integer(-6, 6)),
        id: ids.body,
        timeOffset: (i - MOVES_PER_EVENT) * MOVE_MS,
      };
    });
    place = { x, y };
    incremental(SOURCE.mouseMove, { positions });
  }
  function scrollTo(from: number, to: number): void {
    for (let step = 1; step <= 10; step += 1) {
      at += random.integer(60, 180);
      incremental(SOURCE.scroll, { id: ids.document, x: 0, y: Math.round(from + ((to - from) * step) / 10) });
    }
  }
  function press(id: number, x: number, y: number): void {
    moveTo(x, y);
    at += 150;
    incremental(SOURCE.mouseInteraction, { type: INTERACTION.focus, id });
    incremental(SOURCE.mouseInteraction, { type: INTERACTION.click, id, x, y });
  }

  moveTo(width * 0.5, height * 0.4);
  press(ids.button, Math.round(width * 0.2), Math.round(height * 0.5));
  const bottom = Math.max(0, pageHeight - height);
  for (const share of [0.35, 0.6, 0.45, 1]) {
    const from = Math.round(bottom * (share === 0.35 ? 0 : 0.3));
    scrollTo(from, Math.round(bottom * share));
    moveTo(random.integer(40, width - 40), random.integer(80, height - 80));
    at += random.integer(1, 3) * SECOND_MS;
  }
  fillIn(ids, random, press, width, height, (id, text) => {
    at += random.integer(90, 260);
    incremental(SOURCE.input, { id, text, isChecked: false });
  });
  press(ids.submit, Math.round(width * 0.3), Math.round(height * 0.8));
  return events;
}

/** Input is masked, as in real recordings. */
function fillIn(
  ids: PageIds,
  random: Random,
  press: (id: number, x: number, y: number) => void,
  width: number,
  height: number,
  type: (id: number, text: string) => void,
): void {
  for (const [i, id] of ids.inputs.entries()) {
    press(id, Math.round(width * 0.3), Math.round(height * (0.35 + i * 0.12)));
    const letters = random.integer(8, 18);
    for (let typed = 1; typed <= letters; typed += 1) type(id, '*'.repeat(typed));
  }
}
