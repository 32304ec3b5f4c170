import { Note } from './note.tsx';

/** Warns when the address is saved, not only when the first delivery fails. */
export function RefusedNote({ isRefused, isAsSaved }: { isRefused: boolean; isAsSaved: boolean }) {
  return (
    <div role="status" className="empty:absolute">
      {isRefused && isAsSaved && (
        <Note tone="warning">
          <p>Nothing is sent to this address, because it is not on the public internet.</p>
          <p>
            To allow addresses in the service’s own network, start it with{' '}
            <code className="font-mono text-[0.8125rem]">FLOW_ALLOW_PRIVATE_NETWORK=on</code>.
          </p>
        </Note>
      )}
    </div>
  );
}
