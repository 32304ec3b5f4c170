import { hostname, networkInterfaces } from 'node:os';
import type { Config } from '../config.ts';
import { parseDomainRule } from '../domain/setup/site-domain.ts';

/** Names and addresses of this machine, so that the form of the demo page works from other machines too. */
export function ownDomains({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const names = [
    'localhost',
    ...addresses.filter(({ scopeid }) => !scopeid).map(({ address }) => address),
    hostname(),
    `${hostname()}:${port}`,
    publicUrl ?? '',
  ];
  return [...new Set(names.map(parseDomainRule).filter((rule) => rule !== null))];
}
