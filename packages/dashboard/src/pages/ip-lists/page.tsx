import { BLOCKED } from './blocked.tsx';
import { IpListPage } from './ip-list-page.tsx';
import { WHITELISTED } from './whitelisted.tsx';

export function BlockedIpsPage() {
  return <IpListPage key={BLOCKED.key} list={BLOCKED} />;
}

export function WhitelistedIpsPage() {
  return <IpListPage key={WHITELISTED.key} list={WHITELISTED} />;
}
