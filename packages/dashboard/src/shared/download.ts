import { send } from '../api/client.ts';

/** Until then the browser has saved the blob. */
const REVOKE_AFTER_MS = 60_000;

/** Not a plain link: the API key goes in a header. */
export async function download(address: string, name: string): Promise<void> {
  const response = await send('GET', address);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
