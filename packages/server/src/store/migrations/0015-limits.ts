import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What it takes to bound what strangers can have stored: ranges of addresses, rows of a client, bytes of recordings. */
export async function limits(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await ipNetworks(db, dialect);
  await setAsideClients(db);
  await replayBytes(db);
  await callbackIds(db, dialect);
}

const RULES_AT_ONCE = 500;

/** Until now all entries were single addresses. */
async function ipNetworks(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  // In the order of its characters: all that a range contains lies between two keys.
  const key = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await db.schema
    .alterTable('ip_rules')
    .addColumn('network', key, (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('ip_rules').addColumn('bits', 'bigint').execute();
  const { rows: rules } = await sql<{ ip: string }>`select ip from ip_rules`.execute(db);
  for (let start = 0; start < rules.length; start += RULES_AT_ONCE) {
    const keys = rules.slice(start, start + RULES_AT_ONCE).map(({ ip }) => sql`(${ip}, ${networkKey(ip)})`);
    await sql`
      update ip_rules set network = keys.column2 from (values ${sql.join(keys)}) as keys
      where ip_rules.ip = keys.column1
    `.execute(db);
  }
  await db.schema.createIndex('ip_rules_by_network').unique().on('ip_rules').column('network').execute();
  await db.schema
    .createIndex('ip_rules_by_length')
    .on('ip_rules')
    .column('bits')
    .where(sql.ref('bits'), 'is not', null)
    .execute();
}

/** Of a canonical address. */
function networkKey(ip: string): string {
  if (!ip.includes(':')) {
    const octets = ip.split('.').map((octet) => Number(octet).toString(16).padStart(2, '0'));
    return `4${octets.join('')}/32`;
  }
  const [head = '', tail] = ip.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail ?? '')];
  return `6${all.map((group) => group.padStart(4, '0')).join('')}/128`;
}

/** Rows from before belong to nobody: they count for at most a day. */
async function setAsideClients(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('set_aside_leads')
    .addColumn('client', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .createIndex('set_aside_leads_by_client')
    .on('set_aside_leads')
    .columns(['client', 'received_at'])
    .execute();
}

async function replayBytes(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into counters (name, value)
    select 'replay_bytes', sum(bytes) from objects where kind = 'replay' having count(*) > 0
  `.execute(db);
}

async function callbackIds(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await db.schema
    .createTable('callback_ids')
    .addColumn('callback_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .modifyEnd(dialect === 'sqlite' ? sql`without rowid` : sql``)
    .execute();
  await db.schema.createIndex('callback_ids_by_age').on('callback_ids').column('received_at').execute();
}
