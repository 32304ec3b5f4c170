import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useCallback, useMemo } from 'react';

export type LeadLinks = {
  hrefOf: (leadId: number) => string;
  /** For whatever surrounds rows or cards: those have `data-lead`, and a real link inside. */
  follow: (event: MouseEvent) => void;
  /** Loads the page of a lead before somebody asks for it. */
  prepare: () => void;
};

/** Links to leads, all followed in one place, so that a hundred of them weigh nothing. */
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
      if (leadId === undefined || event.defaultPrevented || target.closest('button') !== null) return;
      // The browser opens links in new tabs and windows by itself.
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
