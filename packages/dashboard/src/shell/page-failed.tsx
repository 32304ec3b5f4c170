import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { buttonClasses } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

/** A page that broke, or whose code could not be loaded: after an update the old files are gone. */
export function PageFailed({ error }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <ErrorState error={error} onRetry={() => location.reload()} />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="There is no such page">
      <EmptyState
        title="The address may have been mistyped, or what was there is gone."
        action={
          <Link to="/" className={buttonClasses()}>
            To the overview
          </Link>
        }
      />
    </Page>
  );
}
