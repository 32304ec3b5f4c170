import type { RequestListener } from 'node:http';

/** Lets a part of the service be reached under another name as well: `/track/…` as `/stories/…`, say. */
export function withOtherName(other: string, usual: string, listener: RequestListener): RequestListener {
  if (other === usual) return listener;
  return (incoming, outgoing) => {
    if (incoming.url?.startsWith(`${other}/`)) incoming.url = usual + incoming.url.slice(other.length);
    return listener(incoming, outgoing);
  };
}
