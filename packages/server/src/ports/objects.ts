export type ListedObject = {
  key: string;
  bytes: number;
  /** Unix milliseconds. */
  modifiedAt: number;
};

/** Whole objects under keys such as `archives/2026/05/01/….ndjson.gz`. */
export type ObjectStore = {
  /** Durable when it resolves; an object under the same key is replaced. */
  put(key: string, body: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** Idempotent: a missing object is no error. */
  delete(key: string): Promise<void>;
  /** Everything below a folder, page by page, in the order of keys. */
  list(folder: string): AsyncIterable<readonly ListedObject[]>;
  /** Whether it answered last time, where it is a server. */
  isUp?(): boolean;
  /** Requests in flight fail. */
  close(): void;
};
