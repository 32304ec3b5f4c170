import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/**
 * The limit for lead capture: a program that parses the body and writes the rows of a new lead, with prepared statements
 * and one commit for all requests that wait. It checks nothing, looks nothing up and decides nothing.
 */

const TABLES = ['leads', 'submissions', 'lead_identities', 'lead_changes', 'submission_slots'] as const;
type Table = (typeof TABLES)[number];
type Row = Record<string, string | number | null>;
type Writer = { columns: Record<Table, Row>; write(leads: readonly Row[]): Promise<void> };

const ON_CONFLICT: Partial<Record<Table, string>> = {
  submission_slots: ` on conflict (day, project_name, source, engagement_label, slot)
    do update set submissions = submission_slots.submissions + 1`,
};

const { DATABASE_FILE, DATABASE_URL = '' } = process.env;
const writer = DATABASE_FILE ? openSqlite(DATABASE_FILE) : await openPostgres(DATABASE_URL);
let number = 0;
let waiting: { body: Row; response: ServerResponse }[] = [];
let isWriting = false;

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    waiting.push({ body: JSON.parse(Buffer.concat(chunks).toString()), response });
    if (!isWriting) void writeWaiting();
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));

async function writeWaiting(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    await writer.write(batch.map(({ body }) => body));
    for (const { response } of batch) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"message":"ok"}');
    }
    // Lets what has arrived meanwhile be parsed first.
    await new Promise((resolve) => setImmediate(resolve));
  }
  isWriting = false;
}

/** The rows that a new lead leaves, with the columns that the tables have. */
function rowsOf(columns: Writer['columns'], body: Row): Record<Table, Row[]> {
  number += 1;
  const text = JSON.stringify(body);
  const lead_id = number;
  const common = {
    lead_id,
    contact_email: body.EMAIL ?? '',
    contact_phone: body.PHONE ?? '',
    contact_name: body.FIRSTNAME ?? '',
    project_name: body.PROJECT ?? '',
    search_text: text,
  };
  const identity = (kind: string, value: unknown) => ({
    ...columns.lead_identities,
    kind,
    value: String(value),
    lead_id,
  });
  return {
    leads: [{ ...columns.leads, ...common, lead_public_id: `l${number}` }],
    submissions: [
      {
        ...columns.submissions,
        ...common,
        submission_id: number,
        lead_submission_public_id: `s${number}`,
        payload_json: text,
      },
    ],
    lead_identities: [
      identity('email', body.EMAIL),
      identity('phone', body.PHONE),
      identity('visitor', body.__visitor_id),
    ],
    lead_changes: [{ ...columns.lead_changes, lead_id }],
    submission_slots: [{ ...columns.submission_slots, project_name: common.project_name, submissions: 1 }],
  };
}

function openSqlite(file: string): Writer {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  const columns = {} as Writer['columns'];
  for (const table of TABLES) {
    const found = database.prepare(`select name, type from pragma_table_info('${table}')`).all();
    columns[table] = emptyRow(found as { name: string; type: string }[]);
  }
  const inserts = new Map(
    TABLES.map((table) => {
      const names = Object.keys(columns[table]);
      const marks = names.map(() => '?').join(', ');
      const text = `insert into ${table} (${names.join(', ')}) values (${marks})${ON_CONFLICT[table] ?? ''}`;
      return [table, { names, statement: database.prepare(text) }] as const;
    }),
  );
  return {
    columns,
    async write(leads) {
      database.exec('begin immediate');
      for (const lead of leads) {
        for (const [table, rows] of Object.entries(rowsOf(columns, lead))) {
          const insert = inserts.get(table as Table);
          for (const row of rows) insert?.statement.run(...insert.names.map((name) => row[name] as string));
        }
      }
      database.exec('commit');
    },
  };
}

async function openPostgres(url: string): Promise<Writer> {
  const client = new pg.Client({ connectionString: url, pipeline: true });
  await client.connect();
  const columns = {} as Writer['columns'];
  for (const table of TABLES) {
    const { rows } = await client.query(
      'select column_name as name, data_type as type from information_schema.columns where table_name = $1',
      [table],
    );
    columns[table] = emptyRow(rows);
  }
  return {
    columns,
    async write(leads) {
      const all = leads.map((lead) => rowsOf(columns, lead));
      const sent = [client.query('begin')];
      for (const table of TABLES) {
        let rows = all.flatMap((each) => each[table]);
        // One row cannot be changed twice by one statement.
        if (table === 'submission_slots') rows = rows.slice(0, 1);
        const names = Object.keys(columns[table]).join(', ');
        sent.push(
          client.query({
            name: table,
            text: `insert into ${table} (${names}) select ${names}
              from json_populate_recordset(null::${table}, $1::json)${ON_CONFLICT[table] ?? ''}`,
            values: [JSON.stringify(rows)],
          }),
        );
      }
      sent.push(client.query('commit'));
      await Promise.all(sent);
    },
  };
}

function emptyRow(columns: readonly { name: string; type: string }[]): Row {
  return Object.fromEntries(columns.map(({ name, type }) => [name, /int/i.test(type) ? 0 : '']));
}
