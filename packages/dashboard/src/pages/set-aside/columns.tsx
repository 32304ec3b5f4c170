import { Link } from '@tanstack/react-router';
import { optionLabel } from '../../frame/option-label.tsx';
import { personName } from '../../shared/person-name.ts';
import type { Column } from '../../ui/table.tsx';
import { ListTime } from '../../ui/time.tsx';
import { AcceptButton } from './accept.tsx';
import { type SetAsideKind, type SetAsideLead, whyOf } from './set-aside-kind.ts';

export function leadColumns({
  onOpen,
  ipList,
}: {
  onOpen: (id: number) => void;
  ipList: SetAsideKind['ipList'];
}): Column<SetAsideLead>[] {
  return [
    {
      key: 'contact',
      title: 'Contact',
      cell: (row) => <Contact row={row} onOpen={() => onOpen(row.id)} />,
      className: 'max-w-52 sm:max-w-72 sm:min-w-44',
    },
    { key: 'ip', title: 'IP address', cell: (row) => <Address ip={row.ip} ipList={ipList} />, isFrom: 'sm' },
    {
      key: 'project',
      title: 'Project',
      cell: (row) => optionLabel('project', row.project_name) || <span className="text-ink-faint">–</span>,
      isFrom: 'lg',
      className: 'max-w-48 break-words',
    },
    {
      key: 'source',
      title: 'Source',
      cell: (row) => optionLabel('source', row.source) || <span className="text-ink-faint">–</span>,
      isFrom: 'lg',
      className: 'max-w-48 break-words',
    },
    // All testing leads are here for the same reason.
    ...(ipList.to === '/blocked-ips' ? [whyColumn(ipList)] : []),
    { key: 'received_at', title: 'Received', cell: (row) => <ListTime value={row.received_at} /> },
  ];
}

function whyColumn(ipList: SetAsideKind['ipList']): Column<SetAsideLead> {
  return {
    key: 'why',
    title: 'Why',
    cell: (row) => whyOf(row, ipList),
    isFrom: 'lg',
    className: 'max-w-48 break-words',
  };
}

export function acceptColumn(onAccept: (row: SetAsideLead) => void): Column<SetAsideLead> {
  return {
    key: 'actions',
    title: <span className="sr-only">Actions</span>,
    cell: (row) => <AcceptButton row={row} onAccept={onAccept} />,
    // On a phone it is in the details.
    isFrom: 'sm',
    className: 'w-px',
  };
}

function Contact({ row, onOpen }: { row: SetAsideLead; onOpen: () => void }) {
  const name = personName(row);
  return (
    <div className="grid min-w-0 justify-items-start">
      <button
        type="button"
        onClick={onOpen}
        aria-haspopup="dialog"
        className="max-w-full truncate rounded-sm text-left font-medium underline-offset-2 hover:underline"
      >
        {name}
      </button>
      {row.contact_email !== '' && row.contact_email !== name && (
        <span className="max-w-full truncate text-[0.8125rem] text-ink-soft">{row.contact_email}</span>
      )}
      <span className="max-w-full truncate text-[0.8125rem] text-ink-faint @lg:hidden">{row.ip}</span>
    </div>
  );
}

function Address({ ip, ipList }: { ip: string; ipList: SetAsideKind['ipList'] }) {
  return (
    <Link
      to={ipList.to}
      search={{ q: ip }}
      title={ipList.label}
      className="rounded-sm font-mono text-[0.8125rem] break-all text-accent-text @2xl:whitespace-nowrap underline-offset-2 hover:underline"
    >
      {ip}
    </Link>
  );
}
