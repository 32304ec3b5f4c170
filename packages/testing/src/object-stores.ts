import { after, before, describe } from 'node:test';
import { type S3Server, startS3Server } from './s3-server.ts';
import { onBothStores, type StoreKind } from './service.ts';

/** Where the objects of a service are. */
export type ObjectPlace = {
  /** With which a service keeps them there; it is filled once tests run. */
  env: Record<string, string>;
  /** Besides the directory of the service itself. */
  dirs(): string[];
};

/** Declares the same tests once for each relational store with objects in files, and once with objects in S3. */
export function onEveryObjectStore(
  title: string,
  declare: (kind: StoreKind, objects: ObjectPlace) => void,
): void {
  onBothStores(title, (kind) => declare(kind, { env: {}, dirs: () => [] }));
  describe(`${title} (sqlite, S3)`, () => {
    const s3 = useS3Server();
    declare('sqlite', { env: s3.env, dirs: () => [s3.dir] });
  });
}

/** A server for all tests of the surrounding suite; it is there once they run. */
export function useS3Server(): S3Server {
  const server = { env: {} } as S3Server;
  before(async () => {
    const { env, ...started } = await startS3Server();
    Object.assign(server, started);
    Object.assign(server.env, env);
  });
  after(() => server.close?.());
  return server;
}
