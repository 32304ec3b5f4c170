import type { Db } from '../dialect.ts';
import { noteChange } from './lead-index.ts';

/**
 * When a lead was last changed from outside. Grows strictly with each change, even within a millisecond or
 * after the clock was set back: the lead index detects changes by it. Takes the time as two parameters.
 */
export const UPDATED = 'updated_at = case when updated_at >= ? then updated_at + 1 else ? end';

export async function noteUpdate(db: Db, leadId: number, now: number): Promise<void> {
  await db.dialect.run(`update leads set ${UPDATED} where lead_id = ?`, [now, now, leadId]);
  await noteChange(db, leadId);
}
