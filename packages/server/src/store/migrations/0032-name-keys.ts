import { type Kysely, sql } from 'kysely';

/** Leads are now sorted by name without accents: the sort keys of names with accents are renewed in the background. */
export async function nameKeys(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const isAccented = dialect === 'sqlite' ? sql`name_key glob '*[^ -~]*'` : sql`name_key ~ '[^ -~]'`;
  await sql`insert into lead_renewals (lead_id) select lead_id from leads where ${isAccented} on conflict do nothing`.execute(
    db,
  );
}
