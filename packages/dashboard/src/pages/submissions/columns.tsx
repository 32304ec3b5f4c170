import type { SubmissionItem } from '@leadtrail/contract/submissions';
import { Link } from '@tanstack/react-router';
import { ShieldX } from 'lucide-react';
import type { ReactNode } from 'react';
import { optionLabel } from '../../frame/option-label.tsx';
import { personName } from '../../shared/person-name.ts';
import { Badge } from '../../ui/badge.tsx';
import { Dotted } from '../../ui/dotted.tsx';
import type { Column } from '../../ui/table.tsx';
import { ListTime } from '../../ui/time.tsx';
import type { Sort } from './search.ts';

/** Makes the title of a column that the list can be sorted by. */
export type TitleOf = (title: string, by: Sort, hint?: string) => ReactNode;

export function columnsOf(titleOf: TitleOf): Column<SubmissionItem>[] {
  return [
    {
      key: 'contact',
      title: titleOf('Contact', 'contact_email', 'Sort by e-mail address'),
      cell: (row) => <Contact row={row} />,
      className: 'max-w-56 sm:max-w-80 sm:min-w-60',
    },
    {
      key: 'submitted_at',
      title: titleOf('Submitted', 'submitted_at'),
      cell: (row) => <Moment row={row} />,
    },
    {
      key: 'project',
      title: titleOf('Project', 'project_name'),
      cell: (row) => optionLabel('project', row.project_name) || <None />,
      isFrom: 'md',
      className: 'max-w-48 break-words',
    },
    {
      key: 'source',
      title: titleOf('Source', 'source'),
      cell: (row) => <Source row={row} />,
      isFrom: 'md',
      className: 'max-w-48 break-words',
    },
    { key: 'kind', title: 'Kind', cell: (row) => <Kind row={row} />, isFrom: 'lg' },
    { key: 'ip', title: 'IP address', cell: (row) => <Address row={row} />, isFrom: 'xl' },
  ];
}

function Contact({ row }: { row: SubmissionItem }) {
  const name = personName(row);
  return (
    <div className="grid grid-cols-1">
      <Link
        to="/leads/$leadId"
        params={{ leadId: String(row.lead_id) }}
        className="truncate font-medium underline-offset-2 hover:underline"
      >
        {name}
      </Link>
      <span className="flex flex-wrap gap-x-2.5 text-[0.8125rem] text-ink-soft">
        {row.contact_email !== '' && row.contact_email !== name && (
          <span className="max-w-full truncate">{row.contact_email}</span>
        )}
        {row.contact_phone !== name && <span className="max-w-full truncate">{row.contact_phone}</span>}
      </span>
      <span className="truncate text-[0.8125rem] text-ink-faint @2xl:hidden">
        <Dotted parts={[optionLabel('project', row.project_name), optionLabel('source', row.source)]} />
      </span>
    </div>
  );
}

/** Includes the columns that a narrow table hides. */
function Moment({ row }: { row: SubmissionItem }) {
  return (
    <div className="grid justify-items-start gap-1">
      <ListTime value={row.submitted_at} />
      <div className="@4xl:hidden">
        <Kind row={row} />
      </div>
    </div>
  );
}

function Kind({ row }: { row: SubmissionItem }) {
  return (
    <div className="flex flex-wrap gap-1">
      {row.is_follow_up ? <Badge>Follow-up</Badge> : <Badge tone="accent">First</Badge>}
      {row.is_ip_blocked === 1 && (
        <Link to="/blocked-ips" search={{ q: row.contact_ip }} className="rounded-md">
          <Badge tone="negative" title={`${row.contact_ip} is blocked`}>
            <ShieldX aria-hidden="true" />
            IP blocked
          </Badge>
        </Link>
      )}
    </div>
  );
}

function Source({ row }: { row: SubmissionItem }) {
  return (
    <div className="grid">
      {row.source === '' ? <None /> : <span>{optionLabel('source', row.source)}</span>}
      {row.cta_name !== '' && <span className="text-[0.8125rem] text-ink-faint">{row.cta_name}</span>}
    </div>
  );
}

function Address({ row }: { row: SubmissionItem }) {
  return row.contact_ip === '' ? (
    <None />
  ) : (
    <span
      title={row.contact_ip}
      className="block max-w-40 truncate @min-[90rem]:max-w-80 font-mono text-[0.8125rem] text-ink-soft"
    >
      {row.contact_ip}
    </span>
  );
}

function None() {
  return <span className="text-ink-faint">–</span>;
}
