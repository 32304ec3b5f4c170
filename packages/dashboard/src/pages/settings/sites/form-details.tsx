import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { settingsPlace } from '../../../shared/settings-place.ts';
import { FormBehaviour } from './form-behaviour.tsx';
import { FormFields } from './form-fields.tsx';
import type { Form } from './site-queries.ts';

/** What a form does, and what arrives from it. */
export function FormDetails({ form }: { form: Form }) {
  return (
    <>
      <Link
        {...settingsPlace('sites', { site: form.site_id })}
        className="inline-flex h-8 items-center gap-1.5 justify-self-start rounded-md font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        Back to the site
      </Link>
      <h2 className="text-base font-semibold [overflow-wrap:anywhere]">
        {form.name} <code className="font-mono text-xs font-normal text-ink-faint">{form.form_id}</code>
      </h2>
      <FormFields form={form} />
      <FormBehaviour form={form} />
    </>
  );
}
