import { Link } from '@tanstack/react-router';
import { formatNumber } from '../format.ts';
import { type CountedFigure, figureAddress } from './figure-address.ts';

/** The look of a number that is a link. */
export const NUMBER_LINK =
  'rounded underline decoration-line-strong underline-offset-4 hover:decoration-current print:no-underline';

/** A number of leads, visits or submissions as a link to exactly those; a shared link shows the number alone. */
export function FigureLink(figure: CountedFigure) {
  const address = figureAddress(figure);
  const number = formatNumber(figure.count);
  if (address === undefined) return number;
  return (
    <Link {...address} className={NUMBER_LINK}>
      {number}
    </Link>
  );
}
