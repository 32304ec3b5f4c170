import { record } from '@rrweb/record';

/** What people type or choose is never recorded, not even its length. */

const MASK = '*'.repeat(8);

export const MASKING = {
  // All input types, including hidden and unknown ones.
  maskInputOptions: { input: true, select: true, textarea: true } as object,
  maskInputFn: mask,
  maskTextSelector: '[data-leadtrail-mask],[contenteditable]:not([contenteditable="false"])',
  maskTextFn: (text: string) => text.replace(/\S/g, '*'),
  blockSelector: '[data-leadtrail-block],.leadtrail-block',
};

function mask(text: string): string {
  return text && MASK;
}

/** rrweb types of events, mutations and nodes. */
const FULL_SNAPSHOT = 2;
const INCREMENTAL = 3;
const MUTATION = 0;
const INPUT = 5;
const ELEMENT = 2;

export type RecordedEvent = { type: number; data: unknown };
type Attributes = Record<string, unknown>;
type RecordedNode = {
  type: number;
  tagName?: string;
  attributes?: Attributes;
  childNodes?: RecordedNode[];
};
type Change = {
  source: number;
  adds: { node: RecordedNode }[];
  attributes: { id: number; attributes: Attributes }[];
  text: string;
};

/**
 * Masks what rrweb's options leave: values and states of radio buttons and checkboxes, values of custom elements, and
 * `srcdoc`. False if the event must not be recorded at all.
 */
export function maskRest({ type, data }: RecordedEvent): boolean {
  if (type === FULL_SNAPSHOT) maskNodes((data as { node: RecordedNode }).node);
  if (type !== INCREMENTAL) return true;
  const change = data as Change;
  if (change.source === MUTATION) {
    for (const { node } of change.adds) maskNodes(node);
    for (const { id, attributes } of change.attributes) {
      maskElement(record.mirror.getNode(id)?.nodeName.toLowerCase() ?? '', attributes);
    }
  }
  // Text inputs carry the mask or nothing; anything else is a choice and is dropped.
  return change.source !== INPUT || change.text === '' || change.text === MASK;
}

/** Iterative: a page may be nested deeper than the call stack. */
function maskNodes(root: RecordedNode): void {
  const nodes = [root];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    if (node.type === ELEMENT && node.attributes) maskElement(node.tagName ?? '', node.attributes);
    for (const child of node.childNodes ?? []) nodes.push(child);
  }
}

function maskElement(tagName: string, attributes: Attributes): void {
  delete attributes.checked;
  delete attributes.selected;
  // An inner page as text; its content is recorded, and masked, as nodes.
  delete attributes.srcdoc;
  const isChoice = /^(radio|checkbox)$/i.test(String(attributes.type));
  const isComponent = tagName.includes('-');
  if ((isComponent || (tagName === 'input' && isChoice)) && attributes.value) attributes.value = MASK;
}
