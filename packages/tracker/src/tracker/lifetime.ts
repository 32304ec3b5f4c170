/** From when tracking begins until the visitor does not want it any more. */
export let isAlive = false;

export function setAlive(alive: boolean): void {
  isAlive = alive;
}

/** Listens to the window and all in it, before the page does; and whatever happens, the page is not disturbed. */
export function listen<E extends Event>(types: string, listener: (event: E) => void): void {
  const careful = (event: Event) => {
    try {
      if (isAlive) listener(event as E);
    } catch {}
  };
  for (const type of types.split(' ')) addEventListener(type, careful, true);
}
