import { load } from '@fingerprintjs/fingerprintjs';

/** Includes the time zone, which is slow to determine a second time. */
export type Fingerprint = { id: string; timezone: string | undefined };

/** Computed locally, without a third party. */
export async function fingerprint(): Promise<Fingerprint> {
  const agent = await load({ monitoring: false });
  const { visitorId, components } = await agent.get();
  return { id: visitorId, timezone: (components.timezone as { value?: string }).value };
}
