/** True while tracking is on. */
export let isAlive = false;

export function setAlive(alive: boolean): void {
  isAlive = alive;
}

/** Listens in the capture phase, on the window unless told otherwise; never throws into the page. */
export function listen<E extends Event>(
  types: string,
  listener: (event: E) => void,
  target: EventTarget = window,
): void {
  const careful = (event: Event) => {
    try {
      if (isAlive) listener(event as E);
    } catch {}
  };
  for (const type of types.split(' ')) target.addEventListener(type, careful, true);
}
