/**
 * Removes everything from a recording that could send requests or run. Content-Security-Policy and sandbox forbid the
 * same; this also covers what no policy controls, such as DNS prefetching, and shows placeholders for images.
 */

/** Replaces images from other hosts. */
export const PLACEHOLDER =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='16' height='16'%3E%3Crect width='16' height='16' fill='%23dfe3e3'/%3E%3C/svg%3E";

const NOWHERE = '#';
const WITHOUT_ATTRIBUTES = new Set(['script', 'base', 'meta', 'object', 'embed', 'applet']);
const PICTURES = new Set(['src', 'poster', 'background']);
const TARGETS = new Set(['href', 'xlink:href']);
const DROPPED = new Set([
  'srcset',
  'imagesrcset',
  'srcdoc',
  'data',
  'action',
  'formaction',
  'ping',
  'manifest',
  'archive',
  'codebase',
  'nonce',
  'autofocus',
  'autoplay',
  'rr_mediastate',
  'target',
]);

type Attributes = Record<string, unknown>;

/** Works in place, and without recursion: a page may be nested deeper than the stack. */
export function makeInert(recorded: unknown): void {
  const waiting: unknown[] = [recorded];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { tagName, attributes } = value as { tagName?: unknown; attributes?: unknown };
    if (isAttributes(attributes)) {
      if (losesAttributes(tagName, attributes)) (value as { attributes: Attributes }).attributes = {};
      else clean(attributes);
    }
    for (const inner of Object.values(value)) waiting.push(inner);
  }
}

function isAttributes(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of links only stylesheets matter, and their text is part of the recording. */
function losesAttributes(tagName: unknown, attributes: Attributes): boolean {
  const name = String(tagName ?? '').toLowerCase();
  return WITHOUT_ATTRIBUTES.has(name) || (name === 'link' && typeof attributes._cssText !== 'string');
}

function clean(attributes: Attributes): void {
  for (const [given, value] of Object.entries(attributes)) {
    const name = given.toLowerCase();
    if (name.startsWith('on') || DROPPED.has(name)) delete attributes[given];
    else if (typeof value !== 'string') continue;
    else if (PICTURES.has(name)) attributes[given] = isPicture(value) ? value : PLACEHOLDER;
    else if (TARGETS.has(name)) attributes[given] = isHere(value) ? value : NOWHERE;
  }
}

function isPicture(address: string): boolean {
  return /^data:image\//i.test(address);
}

/** SVGs refer to their own parts by fragment. */
function isHere(address: string): boolean {
  return address.startsWith('#') || isPicture(address);
}
