import { getRouteApi } from '@tanstack/react-router';
import { BLOCKED } from './blocked.tsx';
import { IpListPage } from './ip-list-page.tsx';
import { WHITELISTED } from './whitelisted.tsx';

const blockedRoute = getRouteApi('/blocked-ips');
const whitelistedRoute = getRouteApi('/whitelisted-ips');

export function BlockedIpsPage() {
  return <IpListPage key={BLOCKED.key} list={BLOCKED} search={blockedRoute.useSearch()} />;
}

export function WhitelistedIpsPage() {
  return <IpListPage key={WHITELISTED.key} list={WHITELISTED} search={whitelistedRoute.useSearch()} />;
}
