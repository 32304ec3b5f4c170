import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { buttonClasses } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

/** Also shown when a page's code cannot be loaded: after an update the old files are gone. */
export function PageFailed({ error }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <ErrorState error={error} onRetry={() => location.reload()} />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="The address may be mistyped, or the page has been removed."
        action={
          <Link to="/" className={buttonClasses()}>
            Go to overview
          </Link>
        }
      />
    </Page>
  );
}
