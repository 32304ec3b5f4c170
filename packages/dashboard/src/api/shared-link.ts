/** A shared link has an address of its own. Its token is the fragment, which browsers do not send. */

export const SHARED_PATH = '/dashboard/shared';

const isBelow = location.pathname === SHARED_PATH || location.pathname.startsWith(`${SHARED_PATH}/`);

/** Null for the dashboard behind the sign-in. */
export const sharedToken: string | null = isBelow ? location.hash.slice(1) : null;
export const isShared = sharedToken !== null;

// Another link in the same tab changes the fragment only.
if (isShared) {
  addEventListener('hashchange', () => {
    if (location.hash.slice(1) !== sharedToken) location.reload();
  });
}
