/**
 * Searches for an id whose SHA-256 starts with zeros. In JavaScript, because `crypto.subtle` is missing on
 * insecure pages, and slower for many short texts: one promise for each.
 */

/** The difficulty that the service demands. */
const ZERO_BITS = 16;
const TRIES_AT_ONCE = 200;
/** Only the last digits of the id vary, as a counter. */
const DIGITS = 8;
const BLOCK_BYTES = 64;

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
/** The first 32 bits of the fractional part. */
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const ROUNDS = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** Returns a function; each call makes some attempts, and returns the id once it is found. */
export function searchProof(before: string, id: string): () => string | undefined {
  const text = new TextEncoder().encode(before + id);
  const bytes = new Uint8Array(Math.ceil((text.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  bytes.set(text);
  bytes[text.length] = 0x80;
  const blocks = new DataView(bytes.buffer);
  blocks.setUint32(bytes.length - 4, text.length * 8);
  const first = text.length - DIGITS;
  // The blocks before the digits never change, so they are hashed once.
  const fixedBytes = first - (first % BLOCK_BYTES);
  const fixed = hashed(START, blocks, 0, fixedBytes);
  let count = 0;

  return () => {
    for (let tries = TRIES_AT_ONCE; tries > 0; tries--) {
      const digits = (count++).toString(16).padStart(DIGITS, '0');
      for (let i = 0; i < DIGITS; i++) bytes[first + i] = digits.charCodeAt(i);
      const [start = 1] = hashed(fixed, blocks, fixedBytes, bytes.length);
      if (start >>> (32 - ZERO_BITS) === 0) return id.slice(0, -DIGITS) + digits;
    }
    return undefined;
  };
}

const words = new Int32Array(64);
const word = (i: number) => words[i] as number;
const turned = (x: number, bits: number) => (x >>> bits) | (x << (32 - bits));

function hashed(state: Int32Array, blocks: DataView, from: number, to: number): Int32Array {
  for (let at = from; at < to; at += BLOCK_BYTES) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        words[i] = blocks.getInt32(at + i * 4);
        continue;
      }
      const x = word(i - 15);
      const y = word(i - 2);
      words[i] =
        word(i - 16) +
        (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) +
        word(i - 7) +
        (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i++) {
      const first =
        (h +
          (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
          ((e & f) ^ (~e & g)) +
          (ROUNDS[i] as number) +
          word(i)) |
        0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    const added = [a, b, c, d, e, f, g, h];
    state = state.map((value, i) => value + (added[i] as number));
  }
  return state;
}
