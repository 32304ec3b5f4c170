import { AppError } from './errors.ts';

/**
 * JSON that is looked through instead of being made into objects: hostile text can make the parser take ten times as
 * long, and as much memory. What passes is what the parser would take. The text is UTF-8 and ends with NUL, which can
 * stand nowhere in it, so that the end need not be looked for at every step.
 */
export type ScannedJson = Buffer;

/** Told where things are, those that are not too deep. The level is the number of objects and lists around. */
export type JsonListener = {
  levelsMax: number;
  levelsTold: number;
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
const LITTLE_E = 0x65;
const LITTLE_F = 0x66;
const LITTLE_T = 0x74;
const LITTLE_U = 0x75;
/** Makes letters little, and nothing else into a letter that counts here. */
const LITTLE = 0x20;

const NOTHING = 0;

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const HEX = new Set(Buffer.from('0123456789abcdefABCDEF'));

export function terminated(pieces: readonly Buffer[]): ScannedJson {
  return Buffer.concat([...pieces, Buffer.alloc(1)]);
}

/**
 * Goes through a text, so far with each call as it is told to, and says whether there is more. One value after the
 * other rather than one within the other: the text decides how deep it goes.
 */
export function scanJson(json: ScannedJson, listener: JsonListener): (bytes: number) => boolean {
  const { levelsMax, levelsTold } = listener;
  /** By what the present object or list is closed, and those around it; the outermost by nothing. */
  let lastCloser = NOTHING;
  const outer: number[] = [];
  let reached = space(json, 0);

  return (bytes) => {
    // Kept here, because what is kept outside is slower to reach.
    let at = reached;
    let closer = lastCloser;
    const pause = at + bytes;
    while (at < pause) {
      const byte = json[at];
      const isObject = byte === OPEN_OBJECT;
      if (outer.length <= levelsTold) listener.begin(outer.length, at);
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
        if (outer.length <= levelsTold) listener.end(outer.length, at + 1);
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
    if (outer.length <= levelsTold) listener.name(outer.length, at);
    return name(json, at);
  }
}

export function isObjectAt(json: ScannedJson, at: number): boolean {
  return json[at] === OPEN_OBJECT;
}

export function isListAt(json: ScannedJson, at: number): boolean {
  return json[at] === OPEN_LIST;
}

/** The value at a place; undefined if it is no number. */
export function numberAt(json: ScannedJson, at: number): number | undefined {
  const isNumber = json[at] === MINUS || isDigit(json[at] as number);
  return isNumber ? Number(json.toString('latin1', at, number(json, at))) : undefined;
}

/** The same; undefined if it is no string, or a long one. */
export function stringAt(json: ScannedJson, at: number, bytesMax: number): string | undefined {
  if (json[at] !== QUOTE) return undefined;
  const end = string(json, at);
  return end - at > bytesMax ? undefined : JSON.parse(json.toString('utf8', at, end));
}

/** As it is usually written, without escapes. */
export function isNameAt(json: ScannedJson, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i += 1) if (json[at + i + 1] !== name.charCodeAt(i)) return false;
  return json[at + name.length + 1] === QUOTE;
}

// From here on: from a place in the text to the one after what is there.

function space(json: ScannedJson, start: number): number {
  let at = start;
  for (;;) {
    const byte = json[at];
    if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return at;
    at += 1;
  }
}

/** The name of a member, and what stands between it and the value. */
function name(json: ScannedJson, start: number): number {
  return space(json, expected(json, space(json, string(json, start)), COLON));
}

function scalar(json: ScannedJson, start: number): number {
  const byte = json[start] as number;
  if (byte === QUOTE) return string(json, start);
  if (byte === MINUS || isDigit(byte)) return number(json, start);
  if (byte === LITTLE_T) return literal(json, start, 'true');
  if (byte === LITTLE_F) return literal(json, start, 'false');
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
  if (byte !== LITTLE_U) throw notJson();
  for (let i = 1; i <= 4; i += 1) if (!HEX.has(json[start + i] as number)) throw notJson();
  return start + 5;
}

function number(json: ScannedJson, start: number): number {
  let at = json[start] === MINUS ? start + 1 : start;
  at = json[at] === ZERO ? at + 1 : digits(json, at);
  if (json[at] === POINT) at = digits(json, at + 1);
  if (((json[at] as number) | LITTLE) !== LITTLE_E) return at;
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
