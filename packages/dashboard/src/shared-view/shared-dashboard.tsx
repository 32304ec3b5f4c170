import { type RegisteredRouter, RouterProvider } from '@tanstack/react-router';
import { createSharedRouter } from '../shared-router.ts';
import { LinkEnded } from './link-ended.tsx';

/** Its routes are some of those that links are checked against. */
const router = createSharedRouter() as unknown as RegisteredRouter;

/** Instead of the dashboard, for whoever has a shared link. */
export function SharedDashboard({ isValid }: { isValid: boolean }) {
  return isValid ? <RouterProvider router={router} /> : <LinkEnded />;
}
