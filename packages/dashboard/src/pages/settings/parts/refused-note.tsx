import { Note } from './note.tsx';

/** Said as soon as an address is saved, rather than by the first message that goes nowhere. */
export function RefusedNote({ isRefused, isAsSaved }: { isRefused: boolean; isAsSaved: boolean }) {
  return (
    <div role="status" className="empty:absolute">
      {isRefused && isAsSaved && (
        <Note tone="warning">
          <p>Nothing is sent to this address, because it is not on the public internet.</p>
          <p>
            Whoever runs the service can allow addresses of its own network with{' '}
            <code className="font-mono text-[0.8125rem]">FLOW_ALLOW_PRIVATE_NETWORK=on</code>.
          </p>
        </Note>
      )}
    </div>
  );
}
