import { isRecord, nullable, string } from './readers.ts';

/** Elements and attributes that neither load nor run anything, and what the few others may hold. */

/** Replaces images from other hosts. */
export const PLACEHOLDER =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='16' height='16'%3E%3Crect width='16' height='16' fill='%23dfe3e3'/%3E%3C/svg%3E";
const NOWHERE = '#';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ELEMENTS = words(`
  html head body title style noscript template slot
  address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section search
  blockquote dd div dl dt figcaption figure hr li menu ol p pre ul center
  a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd mark q rp rt ruby s samp small span strike
  strong sub sup time tt u var wbr nobr marquee
  area audio canvas iframe img map picture video
  caption col colgroup table tbody td tfoot th thead tr
  button datalist fieldset form input label legend meter optgroup option output progress select textarea
  details dialog summary
  svg circle clippath defs desc ellipse feblend fecolormatrix fecomponenttransfer fecomposite feconvolvematrix
  fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur
  feimage femerge femergenode femorphology feoffset fepointlight fespecularlighting fespotlight fetile feturbulence
  filter foreignobject g image line lineargradient marker mask metadata path pattern polygon polyline radialgradient
  rect stop switch symbol text textpath tspan use view
`);
/** Custom elements. The player defines none, so they are inert boxes. */
const CUSTOM_ELEMENT = /^[a-z][a-z0-9._]*(?:-[a-z0-9._]*)+$/;

/** Plain values. The Content-Security-Policy blocks references to other hosts in a style or paint. */
const PLAIN = words(`
  _csstext rr_width rr_height rr_scrollleft rr_scrolltop rr_open_mode xmlns xmlns:xlink
  class id style title alt dir lang role slot part name for type value label placeholder media hidden open
  checked selected disabled readonly required multiple contenteditable inert popover
  width height rows cols wrap size min max low high optimum step maxlength minlength start reversed tabindex
  colspan rowspan span scope headers align valign bgcolor color face border cellpadding cellspacing frame rules
  noshade nowrap clear compact char charoff hspace vspace marginwidth marginheight scrolling frameborder datetime
  coords shape usemap controls loop muted
  accumulate additive alignment-baseline amplitude azimuth basefrequency baseline-shift bias clip clip-path clip-rule
  clippathunits color-interpolation color-interpolation-filters cx cy d diffuseconstant direction display divisor
  dominant-baseline dx dy edgemode elevation exponent fill fill-opacity fill-rule filter filterunits flood-color
  flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant font-weight fr fx fy
  gradienttransform gradientunits image-rendering in in2 intercept k1 k2 k3 k4 kernelmatrix kernelunitlength
  lengthadjust letter-spacing lighting-color limitingconeangle marker-end marker-mid marker-start markerheight
  markerunits markerwidth mask maskcontentunits maskunits method mode numoctaves offset opacity operator order orient
  origin overflow paint-order patterncontentunits patterntransform patternunits points pointsatx pointsaty pointsatz
  preservealpha preserveaspectratio primitiveunits r radius refx refy result rotate rx ry scale seed shape-rendering
  side slope spacing specularconstant specularexponent spreadmethod startoffset stddeviation stitchtiles stop-color
  stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-opacity stroke-width surfacescale tablevalues targetx targety text-anchor text-decoration text-rendering
  textlength transform transform-origin unicode-bidi values vector-effect version viewbox visibility word-spacing
  writing-mode x x1 x2 xchannelselector y y1 y2 ychannelselector z xml:space
`);
const PLAIN_PREFIX = /^(?:aria|data)-[\w.:-]*$/;
const STYLE_PROPERTY = /^[a-z-]+$/i;

/** Which elements show the picture that an attribute holds. */
const PICTURES: Readonly<Record<string, ReadonlySet<string>>> = {
  src: words('img input'),
  poster: words('video'),
  background: words('body table thead tbody tfoot tr td th'),
  href: words('image feimage'),
  'xlink:href': words('image feimage'),
  rr_dataurl: words('img canvas'),
};
const LINKS = words('href xlink:href');

export function isElementAllowed(tagName: string): boolean {
  return ELEMENTS.has(tagName) || CUSTOM_ELEMENT.test(tagName);
}

export function readAttributes(tagName: string, recorded: unknown): Record<string, unknown> {
  if (!isRecord(recorded)) return {};
  const read = Object.entries(recorded).map(([name, value]) => [name, readValue(tagName, name, value)]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** Undefined: the attribute is left out. */
function readValue(tagName: string, given: string, value: unknown): unknown {
  const name = given.toLowerCase();
  if (Object.hasOwn(PICTURES, name) && PICTURES[name]?.has(tagName)) return pictureOf(value);
  if (LINKS.has(name)) return linkOf(value);
  if (name === 'style' && isRecord(value)) return stylesOf(value);
  return PLAIN.has(name) || PLAIN_PREFIX.test(name) ? plainOf(value) : undefined;
}

function plainOf(value: unknown): unknown {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}

/** Null removes the attribute. */
function pictureOf(value: unknown): string | null | undefined {
  const address = nullable(string)(value);
  return address == null || /^data:image\//i.test(address) ? address : PLACEHOLDER;
}

/** SVGs refer to their own parts by fragment; a link leads nowhere, but still looks like one. */
function linkOf(value: unknown): string | null | undefined {
  const address = nullable(string)(value);
  return address == null || address.startsWith('#') ? address : NOWHERE;
}

/** Changed properties: a value, a value with its priority, or false for one that was removed. */
function stylesOf(changed: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(changed).filter(
      ([property, value]) => STYLE_PROPERTY.test(property) && (value === false || isStyle(value)),
    ),
  );
}

function isStyle(value: unknown): boolean {
  const isText = (each: unknown) => typeof each === 'string';
  return isText(value) || (Array.isArray(value) && value.length === 2 && value.every(isText));
}
