import { campaignParams } from '../../domain/tracking/campaign-params.ts';
import { noteForAnswers } from '../answers/changes.ts';
import { background } from '../operation.ts';
import { FORM_STEPS } from './apply-activity.ts';
import { loadReadOrigin } from './origins.ts';

/** Backfills sessions from before origins were kept, latest first; returns whether there may be more. */
export const renewOrigins = background(
  { changes: ['leads', 'tracking'] },
  async (db, { max }: { max: number }): Promise<boolean> => {
    const { query, dialect } = db;
    // Excludes ingest, which may have read such a session and would write it concurrently.
    await dialect.lock('tracking');
    const left = await query.selectFrom('session_renewals').selectAll().executeTakeFirst();
    if (left === undefined) return false;
    const sessions = await query
      .selectFrom('sessions')
      .select(['session_id', 'entry_page', 'referrer', 'channel'])
      .where('session_id', '<', left.below)
      .orderBy('session_id', 'desc')
      .limit(max)
      .execute();
    const outdated = sessions.filter(({ channel }) => channel === '');
    const readOrigin = await loadReadOrigin(db, outdated.length);
    const events = await query
      .selectFrom('events')
      .select(['session_id', 'type'])
      .distinct()
      .where('session_id', 'in', dialect.anyOf(outdated.map(({ session_id }) => session_id)))
      .where('type', 'in', Object.keys(FORM_STEPS))
      .execute();
    const steps = new Set(events.map(({ session_id, type }) => session_id + FORM_STEPS[type]));
    await dialect.updateRows(
      'sessions',
      'session_id',
      outdated.map(({ session_id, entry_page, referrer }) => {
        const params = campaignParams(entry_page);
        const { site_key, origin } = readOrigin({ page: entry_page, referrer, params, siteKey: '' });
        return {
          session_id,
          site_key,
          ...origin,
          form_viewed: steps.has(`${session_id}form_viewed`) ? 1 : 0,
          form_started: steps.has(`${session_id}form_started`) ? 1 : 0,
          form_submitted: steps.has(`${session_id}form_submitted`) ? 1 : 0,
        };
      }),
    );
    await noteForAnswers(
      db,
      'sessions',
      outdated.map(({ session_id }) => session_id),
    );
    const last = sessions.at(-1);
    if (last === undefined || sessions.length < max) {
      await query.deleteFrom('session_renewals').execute();
      return false;
    }
    await query.updateTable('session_renewals').set({ below: last.session_id }).execute();
    return true;
  },
);
