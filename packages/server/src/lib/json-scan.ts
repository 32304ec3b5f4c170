import { AppError } from './errors.ts';

/**
 * Validates JSON without building objects: hostile text can cost JSON.parse ten times the time and memory.
 * Accepts what JSON.parse accepts. The text is UTF-8 and NUL-terminated; NUL is not valid in JSON, which
 * saves bounds checks.
 */
export type ScannedJson = Buffer;

/** Gets the positions of values down to a level, which is their nesting depth. */
export type JsonListener = {
  levelsMax: number;
  levelsReported: number;
  name(level: number, at: number): void;
  begin(level: number, at: number): void;
  /** Of an object or a list. */
  end(level: number, at: number): void;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
/** Turns an ASCII letter into lower case. */
const CASE_BIT = 0x20;

const NOTHING = 0;

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const HEX = new Set(Buffer.from('0123456789abcdefABCDEF'));

export function terminated(pieces: readonly Buffer[]): ScannedJson {
  return Buffer.concat([...pieces, Buffer.alloc(1)]);
}

/**
 * Each call scans some more bytes and returns whether there is more. A loop rather than recursion, because
 * the input controls the nesting depth.
 */
export function scanJson(json: ScannedJson, listener: JsonListener): (bytes: number) => boolean {
  const { levelsMax, levelsReported } = listener;
  /** The closing bracket of the current object or list, and of those around it. */
  let lastCloser = NOTHING;
  const outer: number[] = [];
  let reached = space(json, 0);

  return (bytes) => {
    // Locals are faster than variables of the closure.
    let at = reached;
    let closer = lastCloser;
    const pause = at + bytes;
    while (at < pause) {
      const byte = json[at];
      const isObject = byte === OPEN_OBJECT;
      if (outer.length <= levelsReported) listener.begin(outer.length, at);
      if (isObject || byte === OPEN_LIST) {
        if (outer.push(closer) > levelsMax) throw tooDeep(levelsMax);
        closer = isObject ? CLOSE_OBJECT : CLOSE_LIST;
        at = space(json, at + 1);
        if (json[at] !== closer) {
          if (isObject) at = member(at);
          continue;
        }
      } else {
        at = space(json, scalar(json, at));
      }
      while (closer !== NOTHING && json[at] === closer) {
        closer = outer.pop() as number;
        if (outer.length <= levelsReported) listener.end(outer.length, at + 1);
        at = space(json, at + 1);
      }
      if (closer === NOTHING) {
        if (at < json.length - 1) throw notJson();
        return false;
      }
      at = space(json, expected(json, at, COMMA));
      if (closer === CLOSE_OBJECT) at = member(at);
    }
    reached = at;
    lastCloser = closer;
    return true;
  };

  function member(at: number): number {
    if (outer.length <= levelsReported) listener.name(outer.length, at);
    return name(json, at);
  }
}

export function isObjectAt(json: ScannedJson, at: number): boolean {
  return json[at] === OPEN_OBJECT;
}

export function isStringAt(json: ScannedJson, at: number): boolean {
  return json[at] === QUOTE;
}

export function isListAt(json: ScannedJson, at: number): boolean {
  return json[at] === OPEN_LIST;
}

/** undefined: not a number. */
export function numberAt(json: ScannedJson, at: number): number | undefined {
  const isNumber = json[at] === MINUS || isDigit(json[at] as number);
  return isNumber ? Number(json.toString('latin1', at, number(json, at))) : undefined;
}

/** undefined: not a string, or too long. */
export function stringAt(json: ScannedJson, at: number, bytesMax: number): string | undefined {
  if (json[at] !== QUOTE) return undefined;
  const end = string(json, at);
  return end - at > bytesMax ? undefined : JSON.parse(json.toString('utf8', at, end));
}

/** Of a string that has been scanned. */
export function endOfString(json: ScannedJson, at: number): number {
  return string(json, at);
}

/** Does not recognise names that are written with escapes. */
export function isNameAt(json: ScannedJson, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i += 1) if (json[at + i + 1] !== name.charCodeAt(i)) return false;
  return json[at + name.length + 1] === QUOTE;
}

// Each of these takes the start of a token and returns its end.

function space(json: ScannedJson, start: number): number {
  let at = start;
  for (;;) {
    const byte = json[at];
    if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return at;
    at += 1;
  }
}

/** Up to the value of the member. */
function name(json: ScannedJson, start: number): number {
  return space(json, expected(json, space(json, string(json, start)), COLON));
}

function scalar(json: ScannedJson, start: number): number {
  const byte = json[start] as number;
  if (byte === QUOTE) return string(json, start);
  if (byte === MINUS || isDigit(byte)) return number(json, start);
  if (byte === LOWER_T) return literal(json, start, 'true');
  if (byte === LOWER_F) return literal(json, start, 'false');
  return literal(json, start, 'null');
}

function literal(json: ScannedJson, start: number, text: string): number {
  for (let i = 0; i < text.length; i += 1) expected(json, start + i, text.charCodeAt(i));
  return start + text.length;
}

function string(json: ScannedJson, start: number): number {
  let at = expected(json, start, QUOTE);
  for (;;) {
    const byte = json[at] as number;
    at += 1;
    if (byte === QUOTE) return at;
    if (byte < SPACE) throw notJson();
    if (byte === BACKSLASH) at = escaped(json, at);
  }
}

function escaped(json: ScannedJson, start: number): number {
  const byte = json[start] as number;
  if (SIMPLE_ESCAPES.has(byte)) return start + 1;
  if (byte !== LOWER_U) throw notJson();
  for (let i = 1; i <= 4; i += 1) if (!HEX.has(json[start + i] as number)) throw notJson();
  return start + 5;
}

function number(json: ScannedJson, start: number): number {
  let at = json[start] === MINUS ? start + 1 : start;
  at = json[at] === ZERO ? at + 1 : digits(json, at);
  if (json[at] === POINT) at = digits(json, at + 1);
  if (((json[at] as number) | CASE_BIT) !== LOWER_E) return at;
  const sign = json[at + 1];
  return digits(json, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

function digits(json: ScannedJson, start: number): number {
  let at = start;
  while (isDigit(json[at] as number)) at += 1;
  if (at === start) throw notJson();
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function expected(json: ScannedJson, at: number, byte: number): number {
  if (json[at] !== byte) throw notJson();
  return at + 1;
}

function notJson(): AppError {
  return new AppError('invalid', 'The body is not valid JSON.');
}

function tooDeep(levelsMax: number): AppError {
  return new AppError('invalid', `The body nests deeper than ${levelsMax} levels.`);
}
