import type { ReactNode } from 'react';
import type { ListPage } from '../../shared/paged-list.tsx';
import type { Column } from '../../ui/table.tsx';

type Asked = { q: string; limit: number; offset: number };

/** What differs between the two lists. */
export type IpList<R extends { ip: string }> = {
  key: string;
  title: string;
  hint: string;
  icon: ReactNode;
  words: { add: string; save: string; added: string; removed: string; remove: string };
  empty: { title: string; text: string };
  columns: readonly Column<R>[];
  fresh: R;
  /** The form fields besides the address. */
  fields: (entry: R, change: (changed: Partial<R>) => void, errors: FieldErrors) => ReactNode;
  /** An address can be on one list only. */
  other: { to: '/blocked-ips' | '/whitelisted-ips'; label: string };
  list: (asked: Asked, signal: AbortSignal) => Promise<ListPage<R>>;
  add: (entry: R) => Promise<unknown>;
  remove: (ip: string) => Promise<unknown>;
};

export type FieldErrors = (field: string) => string | undefined;
