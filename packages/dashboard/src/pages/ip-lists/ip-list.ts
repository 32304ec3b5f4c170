import type { ReactNode } from 'react';
import type { ListPage } from '../../shared/paged-list.tsx';
import type { Column } from '../../ui/table.tsx';

type Asked = { q: string; limit: number; offset: number };

/** What makes the one list differ from the other. */
export type IpList<R extends { ip: string }> = {
  key: string;
  title: string;
  hint: string;
  icon: ReactNode;
  words: { add: string; save: string; added: string; removed: string; remove: string };
  empty: { title: string; text: string };
  columns: readonly Column<R>[];
  fresh: R;
  /** What is said about an address, in the dialog. */
  fields: (entry: R, change: (changed: Partial<R>) => void, errors: FieldErrors) => ReactNode;
  /** An address is never on both. */
  other: { to: '/blocked-ips' | '/whitelisted-ips'; label: string };
  list: (asked: Asked, signal: AbortSignal) => Promise<ListPage<R>>;
  add: (entry: R) => Promise<unknown>;
  remove: (ip: string) => Promise<unknown>;
};

export type FieldErrors = (field: string) => string | undefined;
