import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../../format.ts';
import { settingsPlace } from '../../../shared/settings-place.ts';
import { Note } from '../parts/note.tsx';
import { formFieldsQuery } from './form-fields-query.ts';
import type { Form } from './site-queries.ts';

/** Bounds the requests: each form takes one. */
const FORMS_MAX = 20;

/** Forms that send contact data under names which were not understood. */
export function MisunderstoodForms({ forms }: { forms: readonly Form[] }) {
  const looked = forms.slice(0, FORMS_MAX);
  const answers = useQueries({ queries: looked.map((form) => formFieldsQuery(form.id)) });
  const found = looked.flatMap((form, i) => {
    const count = answers[i]?.data?.misunderstood ?? 0;
    return count === 0 ? [] : [{ form, count }];
  });
  return found.map(({ form, count }) => (
    <Note key={form.id} tone="warning">
      <p className="font-medium">{form.name} sends contact data that is not understood</p>
      <p>
        {count === 1
          ? 'One of its latest submissions has'
          : `${formatNumber(count)} of its latest submissions have`}{' '}
        an e-mail address or phone number in a field with another name.{' '}
        <Link
          {...settingsPlace('sites', { site: form.site_id, form: form.id })}
          className="font-medium underline underline-offset-2"
        >
          Set the meaning of its fields
        </Link>
      </p>
    </Note>
  ));
}
