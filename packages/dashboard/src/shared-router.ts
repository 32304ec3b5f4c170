import { createBrowserHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { SHARED_PATH, sharedToken } from './api/shared-link.ts';
import { lazyPage } from './code.ts';
import { FRAMED, STRICT_SEARCH } from './framed.ts';
import { readCampaignsSearch } from './pages/campaigns/search.ts';
import { readOverviewSearch } from './pages/overview/search.ts';
import { SharedShell } from './shared-view/shared-shell.tsx';
import { PageFailed } from './shell/page-failed.tsx';

/** The two pages of a shared link. Every address of theirs keeps the token, so that it can be bookmarked and passed on. */
export function createSharedRouter() {
  const root = createRootRoute({ component: SharedShell, ...FRAMED });
  const routeTree = root.addChildren([
    createRoute({
      getParentRoute: () => root,
      path: '/',
      validateSearch: readOverviewSearch,
      component: lazyPage(() => import('./pages/overview/shared-page.tsx'), 'SharedOverviewPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/campaigns',
      validateSearch: readCampaignsSearch,
      component: lazyPage(() => import('./pages/campaigns/page.tsx'), 'CampaignsPage'),
    }),
  ]);
  return createRouter({
    routeTree,
    basepath: SHARED_PATH,
    search: STRICT_SEARCH,
    history: createBrowserHistory({ createHref: (path) => `${path.split('#', 1)[0]}#${sharedToken}` }),
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });
}
