import { Fragment, type ReactNode } from 'react';

/**
 * Short facts in a row. Each is written in its own direction, so that one in Hebrew or Arabic leaves the others where
 * they are.
 */
export function Dotted({ parts }: { parts: readonly ReactNode[] }) {
  const shown = parts.filter((part) => part !== '' && part != null && part !== false);
  return shown.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: They have no other identity than their place.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{part}</bdi>
    </Fragment>
  ));
}
