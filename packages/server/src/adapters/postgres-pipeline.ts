import pg from 'pg';

/** The server's answer to one statement. */
export type Answer = { rows: Record<string, unknown>[]; command: string; rowCount: number };

/** With a name, it is a prepared statement. */
type Asked = { text: string; values: readonly unknown[]; name: string | undefined };
type Waiting = Asked & { resolve(answer: Answer): void; reject(error: Error): void };

/**
 * How a row of texts becomes an object. Spreading an empty object is
 * much faster than adding properties one by one.
 */
type Columns = { empty: Record<string, unknown>; each: { name: string; read: (text: string) => unknown }[] };
const NO_COLUMNS: Columns = { empty: {}, each: [] };

const FEATURE_NOT_SUPPORTED = '0A000';
const NO_SUCH_STATEMENT = '26000';

/**
 * A migration has added columns since a `select *` was prepared, or a pooler in between has made the server
 * forget prepared statements. Worth a retry, for which the connection prepares its statements again.
 */
export function isStalePreparedStatement(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  return (
    code === NO_SUCH_STATEMENT ||
    (code === FEATURE_NOT_SUPPORTED && message.includes('cached plan must not change result type'))
  );
}

const pipelines = new WeakMap<pg.PoolClient, PostgresPipeline>();

/** The pipeline of this connection. */
export function pipelineOf(client: pg.PoolClient, answerMs: number): PostgresPipeline {
  return pipelines.getOrInsertComputed(client, () => new PostgresPipeline(client, answerMs));
}

/**
 * Sends statements without waiting for the answers to earlier ones. Those issued at the same moment form a
 * batch with a single `Sync`, because each `Sync` costs a network write and a wake-up, as much as many a
 * statement. If a statement fails, the server skips the rest of its batch.
 */
export class PostgresPipeline {
  readonly #client: pg.PoolClient;
  readonly #answerMs: number;
  readonly #prepared: Prepared = { names: new Set(), columns: new Map() };
  #waiting: Waiting[] = [];
  readonly #sent = new Set<Batch>();

  constructor(client: pg.PoolClient, answerMs: number) {
    this.#client = client;
    this.#answerMs = answerMs;
    client.connection.on('parseComplete', () => this.#sent.values().next().value?.parsing.shift());
  }

  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...asked, resolve, reject });
      // Two ticks: after the continuations of answers that have just
      // arrived, so that the statements they issue join the batch.
      if (this.#waiting.length === 1) process.nextTick(() => process.nextTick(() => this.#send()));
    });
  }

  #send(): void {
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), this.#answerMs);
    const batch = new Batch(this.#waiting, this.#prepared, () => {
      clearTimeout(timer);
      this.#sent.delete(batch);
    });
    this.#waiting = [];
    this.#sent.add(batch);
    this.#client.query(batch);
  }
}

/** The server's prepared statements of a connection. */
type Prepared = {
  names: Set<string>;
  /** Row descriptions by name, so that they need not be requested again. */
  columns: Map<string, Columns>;
};

/** `pg` sees the batch as one query, because it has one `Sync`. */
class Batch extends pg.Query {
  /** Names of statements whose `Parse` the server has not confirmed. */
  readonly parsing: string[] = [];
  readonly #statements: readonly Waiting[];
  readonly #prepared: Prepared;
  readonly #onEnd: () => void;
  #at = 0;
  /** Columns of statements sent without `Describe`. */
  #known: readonly (Columns | undefined)[] = [];
  #columns: Columns | undefined;
  #rows: Answer['rows'] = [];

  constructor(statements: readonly Waiting[], prepared: Prepared, onEnd: () => void) {
    super('');
    this.#statements = statements;
    this.#prepared = prepared;
    this.#onEnd = onEnd;
  }

  override submit = (connection: pg.Connection): void => {
    connection.stream.cork();
    const { names, columns } = this.#prepared;
    this.#known = this.#statements.map(({ name = '' }) => columns.get(name));
    for (const { text, values, name = '' } of this.#statements) {
      if (!names.has(name)) {
        // Close an earlier statement of this name, if there is one; `Parse` would fail.
        connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
        this.parsing.push(name);
        if (name !== '') names.add(name);
      }
      connection.bind({ portal: '', statement: name, values: values.map(wireValue) } as never, true);
      if (!columns.has(name)) connection.describe({ type: 'P', name: '' }, true);
      connection.execute({ portal: '' } as never, true);
    }
    connection.sync();
    connection.stream.uncork();
  };

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = {
      empty: { ...Object.fromEntries(fields.map(({ name }) => [name, null])) },
      each: fields.map(({ name, dataTypeID }) => ({
        name,
        read: pg.types.getTypeParser(dataTypeID, 'text'),
      })),
    };
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#columns ??= this.#known[this.#at] ?? NO_COLUMNS;
    const { empty, each } = this.#columns;
    const row = { ...empty };
    for (let i = 0; i < each.length; i += 1) {
      const text = fields[i];
      const column = each[i] as Columns['each'][number];
      if (typeof text === 'string') row[column.name] = column.read(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name, resolve } = this.#statement;
    const wasDescribed = this.#known[this.#at] === undefined;
    if (name !== undefined && wasDescribed)
      this.#prepared.columns.getOrInsert(name, this.#columns ?? NO_COLUMNS);
    // `INSERT 0 12`, `UPDATE 3`, `BEGIN`
    const words = text.split(' ');
    resolve({ rows: this.#rows, command: words[0] as string, rowCount: Number(words.at(-1)) || 0 });
    this.#at += 1;
    this.#columns = undefined;
    this.#rows = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleError(error: Error): void {
    for (const name of this.parsing) this.#prepared.names.delete(name);
    if (isStalePreparedStatement(error)) {
      this.#prepared.names.clear();
      this.#prepared.columns.clear();
    }
    for (const { reject } of this.#statements.slice(this.#at)) reject(error);
    this.#at = this.#statements.length;
    this.#onEnd();
  }

  handleReadyForQuery(): void {
    this.#onEnd();
  }

  get #statement(): Waiting {
    return this.#statements[this.#at] as Waiting;
  }
}

function wireValue(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return String(value);
}
