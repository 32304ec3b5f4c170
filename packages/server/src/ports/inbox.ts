/** The durable queue of accepted requests. */
export type Inbox = {
  /** By which the store tells this inbox from a copy of it. */
  identity(): InboxIdentity;
  /** Called once the store knows this opening: earlier ones without records may be forgotten. */
  confirm(): Promise<void>;
  /** Gives a copy of another inbox an identity of its own. */
  becomeItself(): Promise<void>;
  /** Resolves once the record is on disk. One record is one line of JSON. */
  append(line: string): Promise<void>;
  /**
   * The oldest records that were not released yet, in order and of one opening, after a sequence where one is given;
   * undefined when there are none.
   */
  take(recordsMax: number, after?: number): Promise<InboxBatch | undefined>;
  /** Forgets what an opening has appended up to this sequence. */
  release(epoch: string, lastSequence: number): Promise<InboxBacklog>;
  /** Gives the remaining records of an opening a new epoch, because another inbox uses theirs, too. */
  renew(epoch: string): Promise<void>;
  /** Calls back after every commit. */
  onAppended(listener: () => void): void;
  backlog(): InboxBacklog;
  /** When the oldest record was appended, in milliseconds; undefined when there is none. */
  oldestAt(): number | undefined;
  /** Marks the present records; the returned function tells whether all of them have been released. */
  mark(): () => boolean;
  /** Rejects if a record could not be written now. */
  probe(): Promise<void>;
  /** Purges its file of everything that has been released. */
  compact(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Each opening of an inbox has an epoch of its own, and the store remembers how far it has come in each. So records of
 * a copy, which has the same sequence numbers again, are never taken for those of the original.
 */
export type InboxIdentity = {
  inboxId: string;
  /** Of the present opening. */
  epoch: string;
  /** All openings it remembers, in order; the last one is the present one. */
  epochs: readonly string[];
  /** The last sequence before this opening. */
  lastSequence: number;
};

export type InboxBatch = {
  epoch: string;
  firstSequence: number;
  lastSequence: number;
  records: number;
  /** The records as lines of JSON, one after the other. */
  lines: Uint8Array<ArrayBuffer>;
};

export type InboxBacklog = { records: number; bytes: number };
