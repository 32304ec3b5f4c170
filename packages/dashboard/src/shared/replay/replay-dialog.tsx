import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { ApiProblem, call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { ReplayControls, useControls } from './replay-controls.tsx';
import { PLAYER_PAGE, usePlayer } from './use-player.ts';

export function ReplayDialog({ sessionId, onClose }: { sessionId: string | undefined; onClose: () => void }) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open={sessionId !== undefined} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/60" />
        <Dialog.Popup
          ref={popup}
          // So that the player's keys work at once.
          initialFocus={() => popup.current?.querySelector('section') ?? popup.current}
          className="fixed inset-0 z-40 grid grid-rows-[auto_minmax(0,1fr)] gap-3 bg-raised p-3 outline-none sm:inset-4 sm:m-auto sm:max-h-[56rem] sm:max-w-[80rem] sm:rounded-2xl sm:border sm:border-line sm:p-5 sm:shadow-raised"
        >
          <header className="flex items-center justify-between gap-4">
            <Dialog.Title className="text-base">Recording of a visit</Dialog.Title>
            <Dialog.Close
              render={<Button look="ghost" size="small" icon={<X aria-hidden="true" />} aria-label="Close" />}
            />
          </header>
          {sessionId !== undefined && <Replay key={sessionId} sessionId={sessionId} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Replay({ sessionId }: { sessionId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.recording(sessionId),
    queryFn: ({ signal }) => call('replay', { params: { session_id: sessionId }, signal }),
    // Recordings are large.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isGone = error instanceof ApiProblem && (error.status === 404 || error.status === 400);
  if (isGone) {
    return (
      <EmptyState title="This visit has no recording">
        Recordings are kept for a limited time, and only some visits are recorded.
      </EmptyState>
    );
  }
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return <Player recording={data} />;
}

function Player({ recording }: { recording: string | undefined }) {
  const box = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const { state, command } = usePlayer(frame, recording);
  const controls = useControls(state, command, box);

  /** The usual player keys, unless the focused control uses them itself. */
  function onKeyDown(event: KeyboardEvent) {
    const isControl = (event.target as HTMLElement).closest('button, input, [role="switch"]') !== null;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'f') controls.toggleFullscreen();
    else if (isControl) return;
    else if (event.key === ' ' || event.key === 'k') controls.toggle();
    else if (event.key === 'ArrowRight') controls.skip(1);
    else if (event.key === 'ArrowLeft') controls.skip(-1);
    else return;
    event.preventDefault();
  }

  return (
    <section
      ref={box}
      aria-label="Player"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: So that its keys work.
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="grid min-h-0 grid-rows-[auto_minmax(0,1fr)_auto] gap-3 rounded-lg bg-raised [&:fullscreen]:p-3"
    >
      <p className="truncate rounded-md bg-sunken px-3 py-1.5 text-xs text-ink-soft" title={state.page}>
        {state.page || '\u00a0'}
      </p>
      <div className="relative min-h-0 overflow-hidden rounded-lg bg-sunken">
        <iframe
          ref={frame}
          src={PLAYER_PAGE}
          title="What the visitor saw"
          tabIndex={-1}
          // A frame whose color scheme differs from its document gets an opaque background.
          className="absolute inset-0 size-full border-0 [color-scheme:light]"
        />
        {state.status !== 'ready' && (
          <div className="absolute inset-0 grid place-items-center bg-sunken">
            {state.status === 'failed' ? (
              <EmptyState title="This recording cannot be shown">{state.reason}</EmptyState>
            ) : (
              <p role="status" className="flex items-center gap-2.5 text-ink-soft">
                <Spinner /> Loading recording…
              </p>
            )}
          </div>
        )}
      </div>
      <ReplayControls state={state} controls={controls} />
    </section>
  );
}
