import { record } from '@rrweb/record';

/** What people type or choose is never recorded, however long it is and wherever it stands. */

const MASK = '*'.repeat(8);

export const MASKING = {
  // All kinds of inputs, hidden ones and those that browsers do not know too.
  maskInputOptions: { input: true, select: true, textarea: true } as object,
  maskInputFn: mask,
  maskTextSelector: '[data-leadtrail-mask],[contenteditable]:not([contenteditable="false"])',
  maskTextFn: (text: string) => text.replace(/\S/g, '*'),
  blockSelector: '[data-leadtrail-block],.leadtrail-block',
};

function mask(text: string): string {
  return text && MASK;
}

/** Kinds of events, of changes and of nodes. */
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
  /** What a mutation has changed. */
  adds: { node: RecordedNode }[];
  attributes: { id: number; attributes: Attributes }[];
  /** What an input holds now. */
  text: string;
};

/**
 * Takes out of an event what the options leave in it: what radio buttons and checkboxes stand for and whether they are
 * checked, what components of the page hold, and pages that stand in an attribute. Says whether there is anything left to be recorded.
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
  // What can be written into holds the mask or nothing; the others are those that can be chosen.
  return change.source !== INPUT || change.text === '' || change.text === MASK;
}

/** One after the other: a page may nest deeper than calls can. */
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
  // A page within the page, as text; what it shows is recorded like everything else.
  delete attributes.srcdoc;
  const isChoice = /^(radio|checkbox)$/i.test(String(attributes.type));
  const isComponent = tagName.includes('-');
  if ((isComponent || (tagName === 'input' && isChoice)) && attributes.value) attributes.value = MASK;
}
