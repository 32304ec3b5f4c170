import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
} from 'react';

/** A mouse that moves further picks the card up; a finger scrolls. */
const SLACK_PX = 6;
/** Long press: how long a finger must hold still to pick a card up. */
const HOLD_MS = 280;
const EDGE_PX = 56;
const SCROLL_PX_PER_FRAME = 12;

type Handlers = {
  onPick: (lead: LeadItem, ghost: Ghost) => void;
  onOver: (stage: LeadStatus | undefined) => void;
  onDrop: () => void;
  onCancel: () => void;
};

/** The card's image under the pointer. */
export type Ghost = { width: number; place: (element: HTMLElement | null) => void };

/** Drag and drop by mouse, pen or finger. Returns the `pointerdown` handler of a card. */
export function useCardDrag(board: RefObject<HTMLElement | null>, handlers: Handlers) {
  const latest = useRef(handlers);
  latest.current = handlers;
  const end = useRef<() => void>(undefined);
  const isHeld = useRef(false);

  useEffect(() => {
    const element = board.current;
    // Only a listener registered before the touch can prevent scrolling.
    const keepStill = (event: TouchEvent) => isHeld.current && event.preventDefault();
    element?.addEventListener('touchmove', keepStill, { passive: false });
    return () => {
      element?.removeEventListener('touchmove', keepStill);
      end.current?.();
    };
  }, [board]);

  return useCallback(
    (press: ReactPointerEvent<HTMLElement>, lead: LeadItem) => {
      const isOnButton = (press.target as Element).closest('button') !== null;
      if (press.button !== 0 || !press.isPrimary || isOnButton) return;
      end.current?.();
      const stopping = new AbortController();
      const { signal } = stopping;
      const isFinger = press.pointerType === 'touch';
      const card = press.currentTarget.getBoundingClientRect();
      const start = { x: press.clientX, y: press.clientY };
      let at = start;
      let ghost: HTMLElement | null = null;
      let frame = 0;
      let over: LeadStatus | undefined;

      const place = () => {
        const x = at.x - start.x + card.left;
        const y = at.y - start.y + card.top;
        if (ghost !== null) ghost.style.transform = `translate(${x}px, ${y}px) rotate(1.5deg)`;
        const stage = stageAt(at);
        if (stage === over) return;
        over = stage;
        latest.current.onOver(stage);
      };
      const pick = () => {
        isHeld.current = true;
        getSelection()?.removeAllRanges();
        latest.current.onPick(lead, {
          width: card.width,
          place: (element) => {
            ghost = element;
            place();
          },
        });
        const everyFrame = () => {
          if (board.current !== null && scrollNearEdges(board.current, at)) place();
          frame = requestAnimationFrame(everyFrame);
        };
        everyFrame();
      };
      const hold = isFinger ? setTimeout(pick, HOLD_MS) : undefined;
      end.current = () => {
        clearTimeout(hold);
        cancelAnimationFrame(frame);
        stopping.abort();
        isHeld.current = false;
        end.current = undefined;
      };
      const finish = (how: 'onDrop' | 'onCancel') => {
        const wasHeld = isHeld.current;
        end.current?.();
        if (!wasHeld) return;
        swallowClick();
        latest.current[how]();
      };

      addEventListener(
        'pointermove',
        (event) => {
          if (event.pointerId !== press.pointerId) return;
          at = { x: event.clientX, y: event.clientY };
          if (isHeld.current) return place();
          if (Math.hypot(at.x - start.x, at.y - start.y) < SLACK_PX) return;
          if (isFinger) end.current?.();
          else pick();
        },
        { signal },
      );
      addEventListener('pointerup', () => finish('onDrop'), { signal });
      addEventListener('pointercancel', () => finish('onCancel'), { signal });
      addEventListener('keydown', (event) => event.key === 'Escape' && finish('onCancel'), { signal });
      // A long press would open the link's context menu.
      addEventListener('contextmenu', (event) => isFinger && event.preventDefault(), { signal });
    },
    [board],
  );
}

function stageAt({ x, y }: { x: number; y: number }): LeadStatus | undefined {
  const column = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-stage]');
  return column?.dataset.stage as LeadStatus | undefined;
}

function scrollNearEdges(board: HTMLElement, { x, y }: { x: number; y: number }): boolean {
  const sideways = towards(x, board.getBoundingClientRect(), 'left', 'right');
  board.scrollLeft += sideways;
  const list = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-stage]')?.querySelector('ul');
  const upright = list == null ? 0 : towards(y, list.getBoundingClientRect(), 'top', 'bottom');
  if (list != null) list.scrollTop += upright;
  return sideways !== 0 || upright !== 0;
}

function towards(at: number, box: DOMRect, start: 'left' | 'top', end: 'right' | 'bottom'): number {
  if (at < box[start] + EDGE_PX) return -SCROLL_PX_PER_FRAME;
  return at > box[end] - EDGE_PX ? SCROLL_PX_PER_FRAME : 0;
}

/** Dropping a card on a link must not follow it. */
function swallowClick(): void {
  const swallow = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', swallow, { capture: true }), 0);
}
