import type { RedisServer } from './redis-server.ts';

/** A way in which Redis can be there and yet of no use, or not there at all. */
export type RedisFault = {
  name: string;
  /** What the log calls it. */
  reason: RegExp;
  begin(server: RedisServer): Promise<unknown>;
  end(server: RedisServer): Promise<unknown>;
};

export const REDIS_FAULTS: readonly RedisFault[] = [
  {
    name: 'is gone',
    reason: /ECONN|^Socket closed unexpectedly/,
    begin: (server) => server.cut(),
    end: (server) => server.restore(),
  },
  {
    name: 'hangs',
    reason: /^no answer$/,
    begin: async (server) => server.freeze(),
    end: async (server) => server.thaw(),
  },
  {
    name: 'is full',
    reason: /^OOM command not allowed/,
    begin: (server) => server.ask('CONFIG', 'SET', 'maxmemory', '1'),
    end: (server) => server.ask('CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    name: 'has become a replica',
    reason: /^READONLY You can't write/,
    begin: (server) => server.ask('REPLICAOF', '127.0.0.1', '1'),
    end: (server) => server.ask('REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'does not know what is asked of it',
    reason: /^(ERR|NOPERM) ./,
    begin: (server) => server.ask('ACL', 'SETUSER', 'default', '-eval'),
    end: (server) => server.ask('ACL', 'SETUSER', 'default', '+eval'),
  },
];
