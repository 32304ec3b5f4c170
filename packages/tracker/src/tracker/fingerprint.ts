import { load } from '@fingerprintjs/fingerprintjs';

/** The browser as it was recognised. It told its time zone too, which takes long to ask for. */
export type Fingerprint = { id: string; timezone: string | undefined };

/** Recognises the browser, without asking anybody else. */
export async function fingerprint(): Promise<Fingerprint> {
  const agent = await load({ monitoring: false });
  const { visitorId, components } = await agent.get();
  return { id: visitorId, timezone: (components.timezone as { value?: string }).value };
}
