import { Link2Off } from 'lucide-react';
import { useEffect } from 'react';
import { EmptyState } from '../ui/states.tsx';

/** Replaces the figures if the link is invalid or has expired. */
export function LinkEnded() {
  useEffect(() => {
    document.title = 'Link not valid · Leadtrail';
  }, []);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <h1 className="sr-only">Link not valid</h1>
      <EmptyState icon={<Link2Off aria-hidden="true" />} title="This link is no longer valid">
        It has expired, was revoked, or is incomplete. Ask its sender for a new one.
      </EmptyState>
    </main>
  );
}
