import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { buttonClasses } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

/** What Chromium, Firefox and Safari say when a page's code cannot be loaded: after an update the old files are gone. */
const CODE_MISSING = /dynamically imported module|importing a module script failed/i;

export function PageFailed({ error }: ErrorComponentProps) {
  const shown = CODE_MISSING.test(String(error))
    ? new Error('This page could not be loaded. Leadtrail may have been updated: try again.')
    : error;
  return (
    <Page title="Something went wrong">
      <ErrorState error={shown} onRetry={() => location.reload()} />
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
