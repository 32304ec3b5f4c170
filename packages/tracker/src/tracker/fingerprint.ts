import { load } from '@fingerprintjs/fingerprintjs';

/** Recognises the browser, without asking anybody else. */
export async function fingerprint(): Promise<string> {
  const agent = await load({ monitoring: false });
  const { visitorId } = await agent.get();
  return visitorId;
}
