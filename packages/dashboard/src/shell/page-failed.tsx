import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { askService, CodeMissing, reloadOnce } from '../code.ts';
import { buttonClasses } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

const AWAY = 'Leadtrail cannot be reached. Check your connection, then try again.';
const UPDATED = 'This page could not be loaded. Leadtrail may have been updated: try again.';

/** Pages that were retried in place: browsers that cache a failed import need a reload. */
const askedAgain = new Set<string>();

/** In place of a page; outside the router in place of everything. */
export function PageFailed({ error }: Pick<ErrorComponentProps, 'error'>) {
  const router = useRouter({ warn: false });
  const [isAway, setAway] = useState(false);
  const isCode = error instanceof CodeMissing;
  const look = useCallback(async () => {
    const service = await askService();
    setAway(service === 'away');
    return service;
  }, []);
  useEffect(() => {
    if (isCode) void look().then((service) => service === 'updated' && reloadOnce());
  }, [isCode, look]);

  async function retry() {
    const service = await look();
    if (service === 'away') return;
    const { pathname } = location;
    if (!isCode || service === 'updated' || router === undefined || askedAgain.has(pathname))
      return location.reload();
    askedAgain.add(pathname);
    await router.invalidate();
  }
  return (
    <Page title="Something went wrong">
      <ErrorState
        error={isAway ? new Error(AWAY) : isCode ? new Error(UPDATED) : error}
        onRetry={() => void retry()}
      />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={<MapPinOff aria-hidden="true" />}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClasses()}>
            Go to overview
          </Link>
        }
      >
        It may be mistyped, or the page has been removed.
      </EmptyState>
    </Page>
  );
}
