/** True while tracking is on. */
export let isAlive = false;

export function setAlive(alive: boolean): void {
  isAlive = alive;
}

/** Listens on the window in the capture phase; never throws into the page. */
export function listen<E extends Event>(types: string, listener: (event: E) => void): void {
  const careful = (event: Event) => {
    try {
      if (isAlive) listener(event as E);
    } catch {}
  };
  for (const type of types.split(' ')) addEventListener(type, careful, true);
}
