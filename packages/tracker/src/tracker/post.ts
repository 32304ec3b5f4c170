import { config, root } from '../script-tag.ts';

/** Sent as text, which browsers let pass without asking the service first. Status 0: nobody was reached. */
export function post(path: string, body: string): Promise<XMLHttpRequest> {
  return new Promise((resolve) => {
    // Takes the page less time than `fetch`.
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

/**
 * Arrives although its page is gone by then. Nobody learns whether it has; browsers take no more than 64 KiB, and some
 * nothing.
 */
export function postLastWords(path: string, body: string): void {
  navigator.sendBeacon?.(trackingAddress(path), body);
}

export function trackingAddress(path: string): string {
  return root + config.track + path;
}
