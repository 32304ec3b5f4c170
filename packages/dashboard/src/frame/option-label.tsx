import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import type { ReactNode } from 'react';
import { useNames } from './use-names.ts';

/** A value sent by a form, as its label if it has one. */
export function optionLabel(kind: OptionKind, value: string): ReactNode {
  return value === '' ? '' : <Label key={kind} kind={kind} value={value} />;
}

function Label({ kind, value }: { kind: OptionKind; value: string }) {
  return useNames().labelOf(kind, value);
}
