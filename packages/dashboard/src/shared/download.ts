/** By then the browser has saved the blob. */
const REVOKE_AFTER_MS = 60_000;

/** Saves what was fetched: a plain link would not carry the API key. */
export async function download(response: Response, name: string): Promise<void> {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
