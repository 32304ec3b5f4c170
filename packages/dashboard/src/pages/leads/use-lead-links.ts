import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useCallback, useMemo } from 'react';

export type LeadLinks = {
  hrefOf: (leadId: number) => string;
  /** Click handler for the container of rows or cards, which have `data-lead` and a real link inside. */
  follow: (event: MouseEvent) => void;
  /** Preloads the code of the lead page. */
  prepare: () => void;
};

/** Event delegation for links to leads: a router link in each of 100 rows is slow. */
export function useLeadLinks(): LeadLinks {
  const router = useRouter();
  const hrefOf = useCallback(
    (leadId: number) => {
      const { publicHref } = router.buildLocation({
        to: '/leads/$leadId',
        params: { leadId: String(leadId) },
      });
      return router.history.createHref(publicHref);
    },
    [router],
  );

  const follow = useCallback(
    (event: MouseEvent) => {
      const target = event.target as Element;
      const leadId = target.closest<HTMLElement>('[data-lead]')?.dataset.lead;
      const isLink = target.closest('a') !== null;
      if (leadId === undefined || event.defaultPrevented || target.closest('button, label') !== null) return;
      // The browser handles modified clicks on links.
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
        if (!isLink) open(hrefOf(Number(leadId)), '_blank', 'noopener');
        return;
      }
      if (!isLink && getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      router.navigate({ to: '/leads/$leadId', params: { leadId } });
    },
    [router, hrefOf],
  );

  const prepare = useCallback(() => {
    router.preloadRoute({ to: '/leads/$leadId', params: { leadId: '0' } }).catch(() => {});
  }, [router]);

  return useMemo(() => ({ hrefOf, follow, prepare }), [hrefOf, follow, prepare]);
}
