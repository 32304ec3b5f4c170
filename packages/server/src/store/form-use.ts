import type { DropdownOption, OptionKind } from '@leadtrail/contract/dropdown-options';
import { type ArrivedFields, arrivedFields } from '../domain/leads/arrived-fields.ts';
import { type FormSettings, readSettings } from '../domain/setup/form-settings.ts';
import type { Db } from './dialect.ts';
import { dropdownOptions } from './dropdown-options.ts';
import { PAYLOAD_BYTES, readPayloads } from './leads/payloads.ts';
import { read, visitorRead } from './operation.ts';

/** What pages are told about a form, and what has arrived from it. */

type OfferedOption = Pick<DropdownOption, 'value' | 'label'>;
type FormConfig = FormSettings & { enabled: boolean; options: Record<OptionKind, OfferedOption[]> };

/** Undefined when there is no such form. */
export const formConfig = visitorRead(
  async (db, { siteKey, formId }: { siteKey: string; formId: string }): Promise<FormConfig | undefined> => {
    const row = await formsWithSite(db)
      .selectAll('forms')
      .select('sites.enabled as site_enabled')
      .where('sites.site_key', '=', siteKey)
      .where('forms.form_id', '=', formId)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const enabled = row.site_enabled === 1 && row.enabled === 1;
    return { ...readSettings(row), enabled, options: await offeredOptions(db) };
  },
);

async function offeredOptions(db: Db): Promise<FormConfig['options']> {
  const { source, country, project, city } = await dropdownOptions(db, {});
  const offered = (options: DropdownOption[]) => options.map(({ value, label }) => ({ value, label }));
  return {
    source: offered(source),
    country: offered(country),
    project: offered(project),
    city: offered(city),
  };
}

/** Enough to tell which fields a form has; only the latest leads of its site are searched. */
const LEADS_MAX = 1000;
const SUBMISSIONS_MAX = 200;

/** Undefined when there is no such form. */
export const formFields = read(
  { shows: ['leads', 'setup'] },
  async (db, { id }: { id: number }): Promise<ArrivedFields | undefined> => {
    const form = await formsWithSite(db)
      .selectAll('forms')
      .select('sites.site_key')
      .where('forms.id', '=', id)
      .executeTakeFirst();
    if (form === undefined) return undefined;
    const latest = db.query
      .selectFrom('lead_index')
      .select('lead_id')
      .where('site_key', '=', form.site_key)
      .orderBy('lead_id', 'desc')
      .limit(LEADS_MAX);
    const sent = await db.query
      .selectFrom('submissions')
      .select(['submission_id', PAYLOAD_BYTES.as('payload_bytes')])
      // Includes leads that the index has not caught up with.
      .where(({ or, eb }) =>
        or([
          eb('lead_id', 'in', latest),
          eb('lead_id', 'in', db.query.selectFrom('lead_changes').select('lead_id')),
        ]),
      )
      .where('site_key', '=', form.site_key)
      .where('form_id', '=', form.form_id)
      .orderBy('submission_id', 'desc')
      .limit(SUBMISSIONS_MAX)
      .execute();
    const payloads = await readPayloads(db, sent, (payload) => payload);
    return arrivedFields(payloads, readSettings(form).field_names);
  },
);

function formsWithSite({ query }: Db) {
  return query.selectFrom('forms').innerJoin('sites', 'sites.id', 'forms.site_id');
}
