/** Uploads a recording in numbered chunks. */

export type Destination = {
  address: string;
  nextSequence(): number;
};

export type Delivery = {
  add(session: string, event: string): void;
  /** Starts sending everything buffered. */
  flush(): void;
  /** Sends as much as an unloading page can, or discards it. */
  end(isUnwanted?: boolean): void;
};

type Chunk = {
  session: string;
  sequence: number;
  events: string[];
  chars: number;
  /** In flight, so not to be sent again on unload. */
  isUnderway?: boolean;
};

const FLUSH_MS = 5000;
const CHUNK_CHARS = 200_000;
/** The service's limit per chunk is in bytes; a text has at least as many bytes as characters. */
const EVENT_CHARS_MAX = 2 * 1024 * 1024 - 1024;
const BUFFER_CHARS_MAX = 4_000_000;
/** Browsers allow 64 KiB of keepalive requests per page, shared with the tracker. */
const OUTLIVING_BYTES_MAX = 48 * 1024;
const ENVELOPE_BYTES_MAX = 200;
const ATTEMPTS_MAX = 6;
const PAUSE_MS_FIRST = 2000;
const PAUSE_MS_MAX = 60_000;

/** `giveUp` is called when nothing more can be sent: retries exhausted, or the buffer full. */
export function openDelivery({ address, nextSequence }: Destination, giveUp: () => void): Delivery {
  /** In order: the first is being sent, the last may still be filled. */
  let chunks: Chunk[] = [];
  let filling: Chunk | undefined;
  let chars = 0;
  /** In keepalive requests in flight. */
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
      // Numbered now: the session may change before it is sent.
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

  /** One at a time, so that a slow connection is not flooded. */
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
      // 404: the start of the session may still be on its way from another process of the service.
      const mayPass = !status || status === 404 || status === 429 || status >= 500;
      if (!mayPass || attempt === ATTEMPTS_MAX) return false;
      const askedMs = Number(headers.get('retry-after')) * 1000;
      const pauseMs = Math.max(PAUSE_MS_FIRST * 2 ** (attempt - 1), askedMs);
      await new Promise((resume) => setTimeout(resume, Math.min(pauseMs, PAUSE_MS_MAX)));
    }
    return false;
  }

  /** Status 0: network error. */
  async function send(body: Blob | string): Promise<Response> {
    const bytes = bytesOf(body);
    const keepalive = outlivingBytes + bytes <= OUTLIVING_BYTES_MAX;
    if (keepalive) outlivingBytes += bytes;
    try {
      const answer = await fetch(address, { method: 'POST', body, keepalive, credentials: 'omit' });
      // Keepalive bytes are freed only once the response is read.
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
      // Events after a gap cannot be played.
      if (events.length < chunk.events.length) break;
    }
  }

  return { add, flush, end };
}

/** The leading events that fit. */
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

/** Gzip where supported: a tenth of the size. */
async function packed(text: string): Promise<Blob | string> {
  if (!('CompressionStream' in window)) return text;
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  // Without a type: a Content-Type would cause a CORS preflight.
  return new Blob([await new Response(stream).arrayBuffer()]);
}
