import type { Client } from './clients.ts';

/** A landing page as an rrweb snapshot: a tree of numbered nodes. */

type PageNode = { type: number; id: number; [field: string]: unknown };
export type PageIds = { document: number; body: number; button: number; inputs: number[]; submit: number };

/** Node types of rrweb. */
const NODE = { document: 0, doctype: 1, element: 2, text: 3 } as const;

const STYLE = `
* { box-sizing: border-box }
body { margin: 0; font: 17px/1.6 Georgia, serif; color: #22302c; background: #f7f4ee }
header { display: flex; justify-content: space-between; padding: 22px 6vw; background: #fff }
header strong { font-size: 20px; letter-spacing: .04em }
.hero { padding: 90px 6vw 110px; background: #1f4d44; color: #fff }
.hero h1 { max-width: 18ch; margin: 0 0 16px; font-size: 44px; line-height: 1.15 }
.hero p { max-width: 52ch; margin: 0 0 28px }
button { padding: 14px 26px; border: 0; border-radius: 6px; background: #e2a33b; color: #22302c; font: inherit }
.points { display: flex; flex-wrap: wrap; gap: 24px; padding: 70px 6vw }
.points div { flex: 1 1 220px; padding: 24px; border-radius: 10px; background: #fff }
.points h2 { margin: 0 0 8px; font-size: 21px }
form { display: grid; gap: 14px; max-width: 560px; margin: 0 6vw 80px; padding: 32px; border-radius: 12px; background: #fff }
input { padding: 12px; border: 1px solid #b9c4bf; border-radius: 6px; font: inherit }
footer { padding: 30px 6vw; background: #16332d; color: #cfdcd7 }
`;

const POINTS = [
  ['Light in every room', 'Tall windows on two sides, and a balcony that deserves the name.'],
  ['Close to everything', 'School, market and station are a walk of a few minutes away.'],
  ['Built to stay', 'Brick, oak and good insulation: low costs for decades.'],
] as const;
const FIELDS = [
  ['FIRSTNAME', 'Your name'],
  ['EMAIL', 'E-mail'],
  ['PHONE', 'Phone'],
] as const;

/** In a narrow window; in a wide one the rest stays empty. */
const PAGE_HEIGHT = 1700;

export function landingPage(client: Client): { node: PageNode; ids: PageIds; pageHeight: number } {
  let lastId = 0;
  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const text = (textContent: string): PageNode => ({ type: NODE.text, id: nextId(), textContent });
  const element = (
    tagName: string,
    attributes: Record<string, string | boolean>,
    ...childNodes: PageNode[]
  ): PageNode => ({ type: NODE.element, id: nextId(), tagName, attributes, childNodes });

  const button = element('button', { type: 'button' }, text('Arrange a visit'));
  const submit = element('button', { type: 'submit' }, text('Send the enquiry'));
  const inputs = FIELDS.map(([name, placeholder]) => element('input', { name, placeholder, value: '' }));
  const body = element(
    'body',
    {},
    element(
      'header',
      {},
      element('strong', {}, text(client.project)),
      element('span', {}, text(client.location)),
    ),
    element(
      'section',
      { class: 'hero' },
      element('h1', {}, text(`${client.project}: a good place to arrive`)),
      element('p', {}, text(`New in ${client.location}. Come and see for yourself, any day of the week.`)),
      button,
    ),
    element(
      'section',
      { class: 'points' },
      ...POINTS.map(([title, line]) =>
        element('div', {}, element('h2', {}, text(title)), element('p', {}, text(line))),
      ),
    ),
    element('form', {}, element('h2', {}, text('Tell us what you are looking for')), ...inputs, submit),
    element('footer', {}, text(`${client.project}, ${client.location}. An invented project.`)),
  );
  const head = element(
    'head',
    {},
    element('title', {}, text(client.project)),
    element('style', { _cssText: STYLE.trim() }),
  );
  const doctype = { type: NODE.doctype, id: nextId(), name: 'html', publicId: '', systemId: '' };
  const html = element('html', { lang: 'en' }, head, body);
  const node = { type: NODE.document, id: nextId(), childNodes: [doctype, html] };
  return {
    node,
    ids: {
      document: node.id,
      body: body.id,
      button: button.id,
      inputs: inputs.map(({ id }) => id),
      submit: submit.id,
    },
    pageHeight: PAGE_HEIGHT,
  };
}
