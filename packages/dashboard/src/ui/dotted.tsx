import { Fragment, type ReactNode } from 'react';

/** Parts joined by dots, each isolated in its own text direction. */
export function Dotted({ parts }: { parts: readonly ReactNode[] }) {
  const shown = parts.filter((part) => part !== '' && part != null && part !== false);
  return shown.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: Parts have no identity besides their position.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{part}</bdi>
    </Fragment>
  ));
}
