import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import type { ReactNode } from 'react';
import { useNames } from './use-names.ts';

/** A value that a form sent, by its label where it has one; nothing stays nothing. */
export function optionLabel(kind: OptionKind, value: string): ReactNode {
  return value === '' ? '' : <Label key={kind} kind={kind} value={value} />;
}

function Label({ kind, value }: { kind: OptionKind; value: string }) {
  return useNames().labelOf(kind, value);
}
