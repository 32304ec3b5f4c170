/** Brings what was recorded to the service, in chunks that are numbered as they are filled. */

export type Destination = {
  address: string;
  nextSequence(): number;
};

export type Delivery = {
  add(session: string, event: string): void;
  /** Begins to send all there is. */
  flush(): void;
  /** Sends what can be sent by a page that is being left; of what is unwanted nothing. */
  end(isUnwanted?: boolean): void;
};

type Chunk = {
  session: string;
  sequence: number;
  events: string[];
  chars: number;
  /** It is on its way, and has not to be sent by a page that is being left. */
  isUnderway?: boolean;
};

const FLUSH_MS = 5000;
const CHUNK_CHARS = 200_000;
/** The service takes no chunk that is larger; a text has at least as many bytes as characters. */
const EVENT_CHARS_MAX = 2 * 1024 * 1024 - 1024;
const BUFFER_CHARS_MAX = 4_000_000;
/** Browsers take 64 KiB from a page that is left, in all its requests, and the tracker has something to say too. */
const OUTLIVING_BYTES_MAX = 48 * 1024;
const ENVELOPE_BYTES_MAX = 200;
const ATTEMPTS_MAX = 6;
const PAUSE_MS_FIRST = 2000;
const PAUSE_MS_MAX = 60_000;

/** `giveUp` is called when nothing more can be sent. */
export function openDelivery({ address, nextSequence }: Destination, giveUp: () => void): Delivery {
  /** In order; the first is being sent, the last may still be filled. */
  let chunks: Chunk[] = [];
  let filling: Chunk | undefined;
  let chars = 0;
  /** Of requests that go on when their page is left. */
  let outlivingBytes = 0;
  let isSending = false;
  let hasEnded = false;
  const timer = setInterval(flush, FLUSH_MS);

  function add(session: string, event: string): void {
    if (hasEnded) return;
    chars += event.length;
    if (event.length > EVENT_CHARS_MAX || chars > BUFFER_CHARS_MAX) {
      giveUp();
      return;
    }
    if (filling && (filling.session !== session || filling.chars + event.length > CHUNK_CHARS)) flush();
    if (!filling) {
      // Counted now, because later the session may be another.
      filling = { session, sequence: nextSequence(), events: [], chars: 0 };
      chunks.push(filling);
    }
    filling.events.push(event);
    filling.chars += event.length;
  }

  function flush(): void {
    filling = undefined;
    if (!isSending) sendAll().catch(giveUp);
  }

  /** One after the other, so that a slow connection carries no more than it can. */
  async function sendAll(): Promise<void> {
    isSending = true;
    for (let chunk = chunks[0]; chunk && chunk !== filling; chunk = chunks[0]) {
      if (!(await arrives(chunk))) {
        giveUp();
        return;
      }
      chars -= chunk.chars;
      chunks = chunks.filter((each) => each !== chunk);
    }
    isSending = false;
  }

  async function arrives(chunk: Chunk): Promise<boolean> {
    const body = await packed(textOf(chunk));
    for (let attempt = 1; !hasEnded; attempt += 1) {
      chunk.isUnderway = true;
      const { status, headers } = await send(body);
      chunk.isUnderway = false;
      if (status >= 200 && status < 300) return true;
      const mayPass = !status || status === 429 || status >= 500;
      if (!mayPass || attempt === ATTEMPTS_MAX) return false;
      const askedMs = Number(headers.get('retry-after')) * 1000;
      const pauseMs = Math.max(PAUSE_MS_FIRST * 2 ** (attempt - 1), askedMs);
      await new Promise((resume) => setTimeout(resume, Math.min(pauseMs, PAUSE_MS_MAX)));
    }
    return false;
  }

  /** Status 0: nobody was reached. */
  async function send(body: Blob | string): Promise<Response> {
    const bytes = bytesOf(body);
    const keepalive = outlivingBytes + bytes <= OUTLIVING_BYTES_MAX;
    if (keepalive) outlivingBytes += bytes;
    try {
      const answer = await fetch(address, { method: 'POST', body, keepalive, credentials: 'omit' });
      // A request is under way until its answer has been read.
      await answer.text();
      return answer;
    } catch {
      return Response.error();
    } finally {
      if (keepalive) outlivingBytes -= bytes;
    }
  }

  function end(isUnwanted?: boolean): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(timer);
    const left = chunks.filter((chunk) => !chunk.isUnderway);
    chunks = [];
    if (isUnwanted) return;
    for (const chunk of left) {
      const events = fitting(chunk.events, OUTLIVING_BYTES_MAX - outlivingBytes);
      if (events.length > 0) send(textOf({ ...chunk, events }));
      // What comes after a hole cannot be shown.
      if (events.length < chunk.events.length) break;
    }
  }

  return { add, flush, end };
}

/** So many of the first as a page that is being left can send. */
function fitting(events: string[], bytesMax: number): string[] {
  let bytes = ENVELOPE_BYTES_MAX;
  const end = events.findIndex((event) => {
    bytes += bytesOf(event) + 1;
    return bytes > bytesMax;
  });
  return end === -1 ? events : events.slice(0, end);
}

function bytesOf(body: Blob | string): number {
  return new Blob([body]).size;
}

function textOf({ session, sequence, events }: Chunk): string {
  return `{"session_id":${JSON.stringify(session)},"sequence":${sequence},"events":[${events.join()}]}`;
}

/** Where the browser can: it makes a tenth of it. */
async function packed(text: string): Promise<Blob | string> {
  if (!('CompressionStream' in window)) return text;
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  // Without a type, or the browser would ask for leave first.
  return new Blob([await new Response(stream).arrayBuffer()]);
}
