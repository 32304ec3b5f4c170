import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { lazyPage } from './code.ts';
import { applyFilters } from './frame/list-filters.ts';
import { restoreFrame } from './frame/remember.ts';
import { FRAMED, STRICT_SEARCH } from './framed.ts';
import { readCampaignsSearch } from './pages/campaigns/search.ts';
import { readDeliveriesSearch } from './pages/deliveries/search.ts';
import { readIpSearch } from './pages/ip-lists/search.ts';
import { readLeadSearch } from './pages/lead/search.ts';
import { applyToLeads, readLeadsSearch } from './pages/leads/search.ts';
import { readLiveSearch } from './pages/live/search.ts';
import { readOverviewSearch } from './pages/overview/search.ts';
import { readRecordingsSearch } from './pages/recordings/search.ts';
import { readSetAsideSearch } from './pages/set-aside/search.ts';
import { readSettingsSearch } from './pages/settings/search.ts';
import { applyToSubmissions, readSubmissionsSearch } from './pages/submissions/search.ts';
import { readVisitsSearch } from './pages/visits/search.ts';
import { PageFailed } from './shell/page-failed.tsx';
import { Shell } from './shell/shell.tsx';

/** All routes. Pages are loaded lazily. */

const root = createRootRoute({ component: Shell, ...FRAMED });

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: readOverviewSearch,
    component: lazyPage(() => import('./pages/overview/page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/live',
    validateSearch: readLiveSearch,
    component: lazyPage(() => import('./pages/live/page.tsx'), 'LivePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/visits',
    validateSearch: readVisitsSearch,
    component: lazyPage(() => import('./pages/visits/page.tsx'), 'VisitsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/leads',
    validateSearch: readLeadsSearch,
    search: { middlewares: [applyFilters(applyToLeads)] },
    component: lazyPage(() => import('./pages/leads/page.tsx'), 'LeadsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/leads/$leadId',
    validateSearch: readLeadSearch,
    component: lazyPage(() => import('./pages/lead/page.tsx'), 'LeadPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/submissions',
    validateSearch: readSubmissionsSearch,
    search: { middlewares: [applyFilters(applyToSubmissions)] },
    component: lazyPage(() => import('./pages/submissions/page.tsx'), 'SubmissionsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/recordings',
    validateSearch: readRecordingsSearch,
    component: lazyPage(() => import('./pages/recordings/page.tsx'), 'RecordingsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/rejected',
    validateSearch: readSetAsideSearch,
    component: lazyPage(() => import('./pages/set-aside/page.tsx'), 'RejectedPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/testing',
    validateSearch: readSetAsideSearch,
    component: lazyPage(() => import('./pages/set-aside/page.tsx'), 'TestingPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/blocked-ips',
    validateSearch: readIpSearch,
    component: lazyPage(() => import('./pages/ip-lists/page.tsx'), 'BlockedIpsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/whitelisted-ips',
    validateSearch: readIpSearch,
    component: lazyPage(() => import('./pages/ip-lists/page.tsx'), 'WhitelistedIpsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/campaigns',
    validateSearch: readCampaignsSearch,
    component: lazyPage(() => import('./pages/campaigns/page.tsx'), 'CampaignsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/deliveries',
    validateSearch: readDeliveriesSearch,
    component: lazyPage(() => import('./pages/deliveries/page.tsx'), 'DeliveriesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    validateSearch: readSettingsSearch,
    component: lazyPage(() => import('./pages/settings/page.tsx'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/$section',
    validateSearch: readSettingsSearch,
    component: lazyPage(() => import('./pages/settings/page.tsx'), 'SettingsPage'),
  }),
]);

export function createMainRouter() {
  // Before the router reads the address.
  restoreFrame();
  return createRouter({
    routeTree,
    basepath: '/dashboard',
    search: STRICT_SEARCH,
    defaultPreload: 'intent',
    // In place of the page; the shell stays.
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createMainRouter>;
  }
}
