import { config, root } from '../script-tag.ts';

/** Sent as text/plain, which needs no CORS preflight. Status 0: network error. */
export function post(path: string, body: string): Promise<XMLHttpRequest> {
  return new Promise((resolve) => {
    // Less main-thread time than `fetch`.
    const request = new XMLHttpRequest();
    const end = () => resolve(request);
    request.onloadend = end;
    try {
      request.open('POST', trackingAddress(path));
      request.send(body);
    } catch {
      end();
    }
  });
}

/** A beacon: survives the page, is never acknowledged, at most 64 KiB. Some browsers block it. */
export function postBeacon(path: string, body: string): void {
  navigator.sendBeacon?.(trackingAddress(path), body);
}

export function trackingAddress(path: string): string {
  return root + config.track + path;
}
