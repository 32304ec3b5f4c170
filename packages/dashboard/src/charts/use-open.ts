import { useRouter } from '@tanstack/react-router';
import type { FigureAddress } from '../frame/figure-address.ts';

/** The `href` of a figure's page, and client-side navigation to it. */
export function useOpen() {
  const router = useRouter();
  const hrefOf = (address: FigureAddress) =>
    router.history.createHref(router.buildLocation(address).publicHref);

  function open(address: FigureAddress | undefined, { ctrlKey, metaKey }: Modified): void {
    if (address === undefined) return;
    if (ctrlKey || metaKey) window.open(hrefOf(address), '_blank', 'noopener');
    else void router.navigate(address);
  }

  return { hrefOf, open };
}

type Modified = { ctrlKey: boolean; metaKey: boolean };
