import type { Reply } from './answer-endpoint.ts';

/** Sets the headers of a download with its first piece, so that an earlier error is not saved as a file. */
export async function* asDownload(
  pieces: AsyncIterable<string>,
  reply: Reply,
  { type, name }: { type: string; name: string },
): AsyncIterable<string> {
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst) {
      reply.headers['content-type'] = type;
      reply.headers['content-disposition'] = `attachment; filename="${name}"`;
    }
    isFirst = false;
    yield piece;
  }
}
