/**
 * Pages in a legacy encoding submit their forms in it. As in browsers, ISO-8859-1 means windows-1252, which
 * differs only in a few characters such as quotes and the euro sign.
 */
export type FormCharset = 'utf-8' | 'windows-1252';

/** Browsers fill a field of this name with the encoding of the form. */
export const CHARSET_FIELD = '_charset_';

const DECLARED = /;\s*charset=(?:"([^"]*)"|([^\s;"]*))/i;
const HIGH_ESCAPE = /%[89A-F][0-9A-F]/gi;
const HIGH_FROM = 0x80;
const WINDOWS_1252 = new TextDecoder('windows-1252');
const HIGH_CHARS = WINDOWS_1252.decode(Uint8Array.from({ length: 128 }, (_, i) => HIGH_FROM + i));

/** From the field, else from the content type. Unknown labels are ignored. */
export function formCharset(contentType: string, field: string | undefined): FormCharset {
  const [, quoted, plain] = DECLARED.exec(contentType) ?? [];
  return known(field) ?? known(quoted ?? plain) ?? 'utf-8';
}

function known(label: string | undefined): FormCharset | undefined {
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === 'utf-8' || encoding === 'windows-1252' ? encoding : undefined;
  } catch {
    return undefined;
  }
}

export function isCharsetField(name: string): boolean {
  return name.length === CHARSET_FIELD.length && name.toLowerCase() === CHARSET_FIELD;
}

export function fromWindows1252(body: Uint8Array): string {
  return WINDOWS_1252.decode(body);
}

/** For urlencoded forms: decodes escapes beyond ASCII as well. */
export function urlencodedFromWindows1252(body: Uint8Array): string {
  const text = fromWindows1252(body);
  return text.replaceAll(HIGH_ESCAPE, (byte) =>
    HIGH_CHARS.charAt(Number.parseInt(byte.slice(1), 16) - HIGH_FROM),
  );
}
