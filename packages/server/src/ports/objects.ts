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
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
  /** All in a folder and those below it, a page at a time, in the order of their keys. */
  list(folder: string): AsyncIterable<readonly ListedObject[]>;
  /** Whether it answered last time, where it is a server. */
  isUp?(): boolean;
  /** Whatever is still under way fails. */
  close(): void;
};
