import { config, root } from '../script-tag.ts';

/** All requests together that are to outlive their page: browsers refuse what goes beyond 64 KiB. */
const OUTLIVING_BYTES_MAX = 60_000;

let outlivingBytes = 0;

/** Sent as text, which browsers let pass without asking the service first. Status 0: it could not be sent. */
export async function post(path: string, body: Blob | string): Promise<Response> {
  // Other characters take up to three bytes. What would count them exactly takes longer than the rest of this.
  const bytes = (body as Blob).size ?? (body as string).replace(/[^ -~]/g, '...').length;
  const keepalive = outlivingBytes + bytes < OUTLIVING_BYTES_MAX;
  if (keepalive) outlivingBytes += bytes;
  try {
    const answer = await fetch(root + config.track + path, {
      method: 'POST',
      body,
      keepalive,
      credentials: 'omit',
    });
    // A request is under way until its answer has been read.
    await answer.text();
    return answer;
  } catch {
    return Response.error();
  } finally {
    if (keepalive) outlivingBytes -= bytes;
  }
}
