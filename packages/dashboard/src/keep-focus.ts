/**
 * When a focused element is removed, browsers move the focus to the start of the page, and users of keyboards and
 * screen readers lose their place. This restores it to the nearest element, for the whole dashboard.
 */

/** No text fields: focusing one opens the on-screen keyboard. */
const TARGETS = 'a[href], button:not(:disabled), summary, [tabindex="0"]:not(input, textarea)';
const APP_ID = 'app';
const CONTENT_ID = 'content';

type Place = {
  element: Element;
  pathname: string;
  /** The path to the element: its parents, and its index in each. */
  steps: readonly Step[];
};

type Step = { parent: Element; siblings: readonly Element[]; index: number };

export function keepFocus(): void {
  /** The last focused element; null after a click on empty space. */
  let last: Place | null = null;
  /** The same without dialogs and toasts, which are rendered outside the app. */
  let lastInApp: Place | null = null;

  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    last = placeOf(target);
    if (target.closest(`#${APP_ID}`) !== null) lastInApp = last;
  });
  document.addEventListener('pointerdown', () =>
    setTimeout(() => {
      if (isLost() && last?.element.isConnected) last = lastInApp = null;
    }),
  );
  new MutationObserver(() => {
    // Deferred: a closing dialog restores the focus itself if its trigger still exists.
    if (last !== null && !last.element.isConnected) setTimeout(recover);
  }).observe(document.body, { childList: true, subtree: true });

  function recover(): void {
    if (!isLost() || last === null || last.element.isConnected) return;
    const place = lastInApp ?? last;
    const target = place.pathname === location.pathname ? nearest(place) : null;
    (target ?? document.getElementById(CONTENT_ID))?.focus({ preventScroll: target === null });
  }
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function placeOf(element: Element): Place {
  const steps: Step[] = [];
  for (let child = element; child.parentElement !== null; child = child.parentElement) {
    const siblings = [...child.parentElement.children];
    steps.push({ parent: child.parentElement, siblings, index: siblings.indexOf(child) });
    if (child.parentElement.id === CONTENT_ID) break;
  }
  return { element, pathname: location.pathname, steps };
}

/** The element itself, else what took its place, else its neighbours, else something in a parent. */
function nearest({ element, steps }: Place): HTMLElement | null {
  if (element.isConnected && element instanceof HTMLElement && isUsable(element)) return element;
  for (const step of steps) {
    const { parent, index } = step;
    // Reached the root: nothing near is left.
    if (parent.id === APP_ID || parent === document.body) return null;
    if (!parent.isConnected) continue;
    const candidates = [successor(step), parent.children[index], parent.children[index - 1], parent];
    const found = candidates.map(firstTarget).find((target) => target !== null);
    if (found != null) return found;
  }
  return null;
}

/** A new element in its place, else the next sibling that is left, which may have moved up. */
function successor({ parent, siblings, index }: Step): Element | undefined {
  const there = parent.children[index];
  if (there !== undefined && !siblings.includes(there)) return there;
  return siblings.slice(index + 1).find((each) => each.parentElement === parent);
}

function firstTarget(within: Element | undefined): HTMLElement | null {
  if (within === undefined) return null;
  const inside = [within, ...within.querySelectorAll(TARGETS)];
  return (
    (inside.find(
      (each) => each instanceof HTMLElement && each.matches(TARGETS) && isUsable(each),
    ) as HTMLElement) ?? null
  );
}

function isUsable(element: HTMLElement): boolean {
  return element.checkVisibility() && !element.matches(':disabled');
}
