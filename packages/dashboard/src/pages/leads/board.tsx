import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import type { LeadList } from '../../shared/lead-lists.ts';
import { personName } from '../../shared/person-name.ts';
import { useKeys } from '../../shared/use-keys.ts';
import { stageKeys } from '../../shared/use-lead-actions.ts';
import { type MoveStage, undoLastMove } from '../../shared/use-move-stage.ts';
import { classes } from '../../ui/classes.ts';
import { statusName } from '../../ui/status-badge.tsx';
import { CARD_HELP_ID, CardGhost, type CardHandlers } from './board-card.tsx';
import { BoardColumn } from './board-column.tsx';
import { filtersOf, type ScopedSearch } from './queries.ts';
import { viewOf } from './search.ts';
import { StageMenu } from './stage-menu.tsx';
import { type Ghost, useCardDrag } from './use-card-drag.ts';
import type { LeadLinks } from './use-lead-links.ts';

/** The card being moved; it has a ghost if moved by pointer. */
type Held = { lead: LeadItem; over: LeadStatus | undefined; ghost?: Ghost };

/** A Kanban board: a column for each stage, cards moved by drag and drop or keyboard. */
export function Board({
  search,
  onMove,
  links,
}: {
  search: ScopedSearch;
  onMove: MoveStage;
  links: LeadLinks;
}) {
  const board = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<Held>();
  const [announcement, announce] = useState('');
  const filters = useMemo(() => filtersOf(search), [search]);
  const list = useMemo(() => viewOf({ ...search, layout: undefined }), [search]);

  const [moveAndFollow, follow] = useFocusOnMoved(board, onMove);
  const client = useQueryClient();
  const carry = useCarrying({ board, held, setHeld, announce, onMove: moveAndFollow });
  const onPress = useCardDrag(board, {
    onPick: (lead, ghost) => setHeld({ lead, over: lead.status, ghost }),
    onOver: (over) => setHeld((before) => before && { ...before, over }),
    onDrop: carry.drop,
    onCancel: carry.putBack,
  });

  useKeys(
    // No other keys while a card is held.
    held === undefined
      ? {
          ...stageKeys(() => cardWith(client, focusedCard(board.current)), moveAndFollow),
          u: () => {
            const leadId = undoLastMove();
            if (leadId !== undefined) follow(leadId);
          },
        }
      : {},
  );

  // Stable handlers for memoised cards; the ref gives them the latest state.
  const latest = useRef(carry);
  latest.current = carry;
  const handlers = useMemo<CardHandlers>(
    () => ({
      hrefOf: links.hrefOf,
      onPress,
      onKey: (event, lead) => latest.current.onKey(event, lead),
      onLeave: () => latest.current.putBack(),
    }),
    [links.hrefOf, onPress],
  );

  return (
    <>
      <p id={CARD_HELP_ID} className="sr-only">
        Press Space to pick up a card, Left and Right Arrow to choose a stage, Space to drop it, Escape to
        cancel; or the digit of a stage to move it there, and U to undo that.
      </p>
      <p aria-live="assertive" className="sr-only">
        {announcement}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Every card has a link that does the same. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Every card has a link that does the same. */}
      <div
        ref={board}
        onClick={links.follow}
        onPointerEnter={links.prepare}
        className={classes(
          'relative -mx-4 flex h-[calc(100dvh-18rem)] min-h-96 gap-3 overflow-x-auto px-4 pb-2 sm:-mx-6 sm:px-6 lg:-mx-8 lg:px-8',
          held === undefined ? 'snap-x snap-mandatory sm:snap-none' : held.ghost && 'cursor-grabbing',
        )}
      >
        {LEAD_STATUSES.map((status) => (
          <BoardColumn
            key={status}
            status={status}
            sort={search.sort ?? 'newest'}
            filters={filters}
            list={list}
            heldId={held?.lead.status === status ? held.lead.lead_id : undefined}
            isOver={held?.over === status}
            handlers={handlers}
          />
        ))}
      </div>
      {held?.ghost !== undefined && (
        <CardGhost lead={held.lead} width={held.ghost.width} place={held.ghost.place} />
      )}
      <StageMenu onMove={moveAndFollow} />
    </>
  );
}

function focusedCard(board: HTMLElement | null): number | undefined {
  const focused = document.activeElement;
  const card = board?.contains(focused) ? focused?.closest<HTMLElement>('[data-lead]') : undefined;
  return card?.dataset.lead === undefined ? undefined : Number(card.dataset.lead);
}

/** The lead as the visible columns have it. */
function cardWith(client: QueryClient, leadId: number | undefined): LeadItem | undefined {
  return client
    .getQueriesData<InfiniteData<LeadList>>({ queryKey: queryKeys.leadColumns, type: 'active' })
    .flatMap(([, column]) => column?.pages ?? [])
    .flatMap(({ leads }) => leads)
    .find(({ lead_id }) => lead_id === leadId);
}

/** Moves the focus with a card that changes column. */
function useFocusOnMoved(
  board: { current: HTMLElement | null },
  onMove: MoveStage,
): [move: MoveStage, follow: (leadId: number) => void] {
  const [moved, setMoved] = useState<{ leadId: number }>();
  useLayoutEffect(() => {
    if (moved === undefined) return;
    // After a closing menu has restored the focus.
    const timer = setTimeout(() => {
      const link = board.current?.querySelector<HTMLElement>(`[data-lead="${moved.leadId}"] a`);
      link?.focus();
      link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }, 50);
    return () => clearTimeout(timer);
  }, [moved, board]);
  const follow = useCallback((leadId: number) => setMoved({ leadId }), []);
  const move = useCallback<MoveStage>(
    (lead, to) => {
      onMove(lead, to);
      if (lead.status !== to) follow(lead.lead_id);
    },
    [onMove, follow],
  );
  return [move, follow];
}

type Carrying = {
  board: { current: HTMLElement | null };
  held: Held | undefined;
  setHeld: (held: Held | undefined) => void;
  announce: (text: string) => void;
  onMove: MoveStage;
};

/** Picking up, moving and dropping a card, with announcements for screen readers. */
function useCarrying({ board, held, setHeld, announce, onMove }: Carrying) {
  function drop() {
    if (held === undefined) return;
    const { lead, over = lead.status } = held;
    setHeld(undefined);
    announce(`${personName(lead)} dropped in ${statusName(over)}.`);
    onMove(lead, over);
  }

  function putBack() {
    if (held === undefined) return;
    setHeld(undefined);
    announce(`Cancelled. ${personName(held.lead)} stays in ${statusName(held.lead.status)}.`);
  }

  function pickUp(lead: LeadItem) {
    setHeld({ lead, over: lead.status });
    announce(`${personName(lead)} picked up from ${statusName(lead.status)}.`);
  }

  function carryTo(over: LeadStatus | undefined) {
    if (held === undefined || over === undefined) return;
    setHeld({ ...held, over });
    announce(`Over ${statusName(over)}, ${LEAD_STATUSES.indexOf(over) + 1} of ${LEAD_STATUSES.length}.`);
    const column = board.current?.querySelector(`[data-stage="${over}"]`);
    column?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  function onKey(event: KeyboardEvent<HTMLElement>, lead: LeadItem) {
    const isHeld = held !== undefined && held.ghost === undefined;
    const isSpace = event.key === ' ';
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!isHeld) {
      if (!isSpace) return;
      pickUp(lead);
    } else if (isSpace || event.key === 'Enter') drop();
    else if (event.key === 'Escape') putBack();
    else if (step !== 0) carryTo(LEAD_STATUSES[LEAD_STATUSES.indexOf(held.over ?? lead.status) + step]);
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
  }

  return { drop, putBack, onKey };
}
