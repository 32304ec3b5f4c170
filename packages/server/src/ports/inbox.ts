/** The durable place where accepted tracking requests wait to be processed. */
export type Inbox = {
  /** Names this inbox for good, so that the store can remember how far it has come in it. */
  readonly spoolId: string;
  /** Resolves once the record is on disk. One record is one line of JSON. */
  append(line: string): Promise<void>;
  /** The oldest records that were not released yet, in order; undefined when there are none. */
  take(recordsMax: number): Promise<InboxBatch | undefined>;
  /** Forgets everything up to this sequence. */
  release(lastSequence: number): Promise<void>;
  /** Calls back after every commit. */
  onAppended(listener: () => void): void;
  backlog(): InboxBacklog;
  /** Remembers what is in it now: the answer tells whether all of that has been released. */
  mark(): () => boolean;
  /** Leaves nothing in its file but what has not been released yet. */
  compact(): Promise<void>;
  close(): Promise<void>;
};

export type InboxBatch = {
  firstSequence: number;
  lastSequence: number;
  records: number;
  /** The records as lines of JSON, one after the other. */
  lines: Uint8Array<ArrayBuffer>;
};

export type InboxBacklog = { records: number; bytes: number };
