import { isElementAllowed, readAttributes } from './inert-elements.ts';
import { boolean, isRecord, list, nullable, number, type Reader, shape, string } from './readers.ts';

/**
 * A recording is untrusted input. Copies only what is known to be harmless (allowlist): known kinds of events and their
 * known fields, each of the one type it may have. Content-Security-Policy and sandbox forbid requests and scripts as well;
 * this also covers what no policy controls, such as preconnecting.
 */

export type InertEvent = { type: number; timestamp: number; data: Record<string, unknown> };

/** rrweb numbers its events, the sources of changes, and nodes. */
const FULL_SNAPSHOT = 2;
const CHANGE = 3;
const META = 4;
const MUTATION = 0;
const ELEMENT = 2;

const index: Reader = (value) => number(value) ?? (Array.isArray(value) ? list(number)(value) : undefined);
const rules = list(shape({ rule: string, index }));
const positions = shape({ positions: list(shape({ x: number, y: number, id: number, timeOffset: number })) });

/** By source. Not among them: media, canvas, fonts, logs and custom elements. */
const CHANGES: Readonly<Record<number, Reader>> = {
  1: positions,
  2: shape({ type: number, id: number, x: number, y: number, pointerType: number }),
  3: shape({ id: number, x: number, y: number }),
  4: shape({ width: number, height: number }),
  5: shape({ id: number, text: string, isChecked: boolean, userTriggered: boolean }),
  6: positions,
  8: shape({
    id: number,
    styleId: number,
    adds: rules,
    removes: list(shape({ index })),
    replace: string,
    replaceSync: string,
  }),
  12: positions,
  13: shape({
    id: number,
    styleId: number,
    index,
    set: shape({ property: string, value: nullable(string), priority: string }),
    remove: shape({ property: string }),
  }),
  14: shape({
    ranges: list(shape({ start: number, startOffset: number, end: number, endOffset: number })),
  }),
  15: shape({ id: number, styles: list(shape({ styleId: number, rules })), styleIds: list(number) }),
};

const readMeta = shape({ href: string, width: number, height: number });
const readOffset = shape({ top: number, left: number });
const readTexts = list(shape({ id: number, value: nullable(string) }));
const readRemoves = list(shape({ parentId: number, id: number, isShadow: boolean }));
const readPlace = shape({ parentId: number, previousId: nullable(number), nextId: nullable(number) });
/** Every kind of node but elements. */
const readNode = shape({
  type: number,
  id: number,
  rootId: number,
  compatMode: string,
  name: string,
  publicId: string,
  systemId: string,
  textContent: string,
  isStyle: boolean,
  isShadow: boolean,
});
const readElement = shape({
  type: number,
  id: number,
  rootId: number,
  isSVG: boolean,
  isCustom: boolean,
  isShadow: boolean,
  isShadowHost: boolean,
});

/** The element that each number stands for: what an attribute may hold depends on it. */
type Tags = Map<unknown, string>;
type Copied = Record<string, unknown>;

export function inertEvents(recorded: unknown): InertEvent[] {
  const tags: Tags = new Map();
  return asList(recorded).flatMap((event) => {
    if (!isRecord(event) || !isRecord(event.data)) return [];
    const { type, timestamp } = event;
    const data = inertData(type, event.data, tags);
    if (data === undefined || number(type) === undefined || number(timestamp) === undefined) return [];
    return [{ type: type as number, timestamp: timestamp as number, data }];
  });
}

function inertData(type: unknown, data: Copied, tags: Tags): Copied | undefined {
  if (type === META) return readMeta(data);
  if (type === FULL_SNAPSHOT) {
    return { node: inertNode(data.node, tags), initialOffset: readOffset(data.initialOffset) };
  }
  if (type !== CHANGE) return undefined;
  return data.source === MUTATION ? inertMutation(data, tags) : inertChange(data);
}

function inertChange(data: Copied): Copied | undefined {
  const { source } = data;
  const read = typeof source === 'number' ? CHANGES[source] : undefined;
  const change = read?.(data) as Copied | undefined;
  // The player assumes that a movement has at least one position.
  const isEmpty = Array.isArray(change?.positions) && change.positions.length === 0;
  return change === undefined || isEmpty ? undefined : { source, ...change };
}

function inertMutation(data: Copied, tags: Tags): Copied {
  const adds = asList(data.adds)
    .filter(isRecord)
    .map((add) => ({ ...readPlace(add), node: inertNode(add.node, tags) }));
  const attributes = asList(data.attributes)
    .filter(isRecord)
    .map(({ id, attributes: changed }) => ({
      id: number(id),
      attributes: readAttributes(tags.get(id) ?? '', changed),
    }));
  return {
    source: MUTATION,
    adds,
    attributes,
    texts: readTexts(data.texts),
    removes: readRemoves(data.removes),
    isAttachIframe: boolean(data.isAttachIframe),
  };
}

/** Without recursion: a page may be nested deeper than the stack. */
function inertNode(recorded: unknown, tags: Tags): Copied {
  const root = copyNode(recorded, tags);
  const waiting: [recorded: unknown, copy: Copied][] = [[recorded, root]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, copy] = next;
    copy.childNodes = asList(isRecord(node) ? node.childNodes : undefined).map((child) => {
      const copied = copyNode(child, tags);
      waiting.push([child, copied]);
      return copied;
    });
  }
  return root;
}

function copyNode(recorded: unknown, tags: Tags): Copied {
  if (!isRecord(recorded)) return {};
  if (recorded.type !== ELEMENT) return { textContent: '', ...readNode(recorded) };
  const tagName = inertTag(recorded.tagName);
  const { isCustom, ...element } = readElement(recorded) ?? {};
  tags.set(element.id, tagName);
  return {
    ...element,
    tagName,
    attributes: readAttributes(tagName, recorded.attributes),
    isCustom: isCustom === true && tagName.includes('-'),
  };
}

/**
 * Links are stylesheets or nothing; the text of a stylesheet is part of the recording. Other elements that are not
 * allowed stay in their place, hidden, because later changes refer to them.
 */
function inertTag(recorded: unknown): string {
  const tagName = string(recorded)?.toLowerCase() ?? '';
  if (tagName === 'link') return 'style';
  return isElementAllowed(tagName) ? tagName : 'noscript';
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
