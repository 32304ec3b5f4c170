import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/**
 * The upper limit for lead capture: parses the body and writes the same rows as the service for a new lead,
 * with prepared statements and one commit for all waiting requests. Without any checks, lookups or decisions.
 * Its template is the one lead that the service has left in the store.
 */

const TABLES = [
  'leads',
  'submissions',
  'lead_identities',
  'lead_changes',
  'answer_changes',
  'submission_slots',
] as const;
type Table = (typeof TABLES)[number];
type Row = Record<string, string | number | null>;
type Pattern = Record<Table, Row[]>;
type Writer = { write(leads: readonly Row[]): Promise<void> };
type Read = (select: string) => Promise<Row[]> | Row[];

const ON_CONFLICT: Partial<Record<Table, string>> = {
  submission_slots: ` on conflict (day, project_name, source, engagement_label, slot)
    do update set submissions = submission_slots.submissions + 1`,
};

const { DATABASE_FILE, DATABASE_URL = '' } = process.env;
const writer = await (DATABASE_FILE ? openSqlite(DATABASE_FILE) : openPostgres(DATABASE_URL));
/** Above the id of the template lead. */
let number = 1000;
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
    // Parses the requests that have arrived meanwhile first.
    await new Promise((resolve) => setImmediate(resolve));
  }
  isWriting = false;
}

async function readPattern(read: Read): Promise<Pattern> {
  const pattern = {} as Pattern;
  for (const table of TABLES) pattern[table] = (await read(`select * from ${table}`)).map(withoutNumbers);
  // No identity is written for an IP address that another lead has;
  // changes are deleted once they are taken in.
  pattern.lead_identities = pattern.lead_identities.filter(({ kind }) => kind !== 'ip');
  pattern.answer_changes = pattern.answer_changes.filter(({ kind }) => kind === 'leads').slice(0, 1);
  pattern.lead_changes = [{ lead_id: 0 }];
  return pattern;
}

/** Without the columns that the database generates. */
function withoutNumbers({ change_no: _no, transaction_no: _transaction, ...row }: Row): Row {
  return row;
}

function rowsOf(pattern: Pattern, body: Row): Pattern {
  number += 1;
  const lead_id = number;
  const person = {
    lead_id,
    contact_email: body.EMAIL ?? '',
    contact_phone: body.PHONE ?? '',
    visitor_id: body.__visitor_id ?? '',
  };
  const submission = { submission_id: number, lead_submission_public_id: `s${number}` };
  const values: Row = {
    email: person.contact_email,
    phone: person.contact_phone,
    visitor: person.visitor_id,
  };
  return {
    leads: pattern.leads.map((row) => ({ ...row, ...person, lead_public_id: `l${number}` })),
    submissions: pattern.submissions.map((row) => ({
      ...row,
      ...person,
      ...submission,
      payload_json: JSON.stringify(body),
    })),
    lead_identities: pattern.lead_identities.map((row) => ({
      ...row,
      value: values[String(row.kind)] ?? '',
      lead_id,
      submission_id: number,
    })),
    lead_changes: [{ lead_id }],
    answer_changes: pattern.answer_changes.map((row) => ({ ...row, ids: `[${lead_id}]` })),
    submission_slots: pattern.submission_slots,
  };
}

async function openSqlite(file: string): Promise<Writer> {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  const pattern = await readPattern((select) => database.prepare(select).all() as Row[]);
  const inserts = new Map(
    TABLES.map((table) => {
      const names = namesIn(pattern, table);
      const marks = names.map(() => '?').join(', ');
      const text = `insert into ${table} (${names.join(', ')}) values (${marks})${ON_CONFLICT[table] ?? ''}`;
      return [table, { names, statement: database.prepare(text) }] as const;
    }),
  );
  return {
    async write(leads) {
      database.exec('begin immediate');
      for (const lead of leads) {
        for (const [table, rows] of Object.entries(rowsOf(pattern, lead))) {
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
  const pattern = await readPattern(async (select) => (await client.query(select)).rows);
  return {
    async write(leads) {
      const all = leads.map((lead) => rowsOf(pattern, lead));
      const sent = [client.query('begin')];
      for (const table of TABLES) {
        let rows = all.flatMap((each) => each[table]);
        // One statement cannot upsert the same row twice.
        if (table === 'submission_slots') rows = rows.slice(0, 1);
        const names = namesIn(pattern, table).join(', ');
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

function namesIn(pattern: Pattern, table: Table): string[] {
  const [row] = pattern[table];
  if (row === undefined) throw new Error(`The lead that is there has left no row in ${table}.`);
  return Object.keys(row);
}
