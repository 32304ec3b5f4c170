/** An archive is JSON Lines, one session each. */

export type ReducedArchive = { text: string; sessions: number; removed: string[] };

export function withoutSessions(text: string, sessionIds: ReadonlySet<string>): ReducedArchive {
  const lines = text.split('\n').filter((line) => line !== '');
  const removed: string[] = [];
  const kept = lines.filter((line) => {
    const { session_id } = JSON.parse(line) as { session_id: string };
    if (sessionIds.has(session_id)) removed.push(session_id);
    return !sessionIds.has(session_id);
  });
  return { text: kept.map((line) => `${line}\n`).join(''), sessions: kept.length, removed };
}

/** The names of archives are random: each is written once, by one process. */
export function archiveKey(createdAt: number, id: string): string {
  const day = new Date(createdAt).toISOString().slice(0, 10).replaceAll('-', '/');
  return `archives/${day}/${id}.ndjson.gz`;
}

/** The key of a rewritten archive, in the same folder. */
export function keyBeside(key: string, id: string): string {
  return `${key.slice(0, key.lastIndexOf('/'))}/${id}.ndjson.gz`;
}

export type ArchiveContent = { sessions: number; first_session: string; last_session: string };

export function contentOf(text: string): ArchiveContent {
  const lines = text.split('\n').filter((line) => line !== '');
  const ids = lines.map((line) => (JSON.parse(line) as { session_id: string }).session_id).sort();
  return { sessions: ids.length, first_session: ids[0] ?? '', last_session: ids.at(-1) ?? '' };
}
