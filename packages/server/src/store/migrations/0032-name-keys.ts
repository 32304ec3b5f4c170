import { type Kysely, sql } from 'kysely';

/** Names are put in order without their accents: those that have any are made anew in the background. */
export async function nameKeys(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const isAccented = dialect === 'sqlite' ? sql`name_key glob '*[^ -~]*'` : sql`name_key ~ '[^ -~]'`;
  await sql`insert into lead_renewals (lead_id) select lead_id from leads where ${isAccented} on conflict do nothing`.execute(
    db,
  );
}
