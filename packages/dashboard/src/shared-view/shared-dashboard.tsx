import { type RegisteredRouter, RouterProvider } from '@tanstack/react-router';
import { createSharedRouter } from '../shared-router.ts';
import { LinkEnded } from './link-ended.tsx';

/** Its routes are a subset of those that links are type-checked against. */
const router = createSharedRouter() as unknown as RegisteredRouter;

/** The dashboard of a shared link. */
export function SharedDashboard({ isValid }: { isValid: boolean }) {
  return isValid ? <RouterProvider router={router} /> : <LinkEnded />;
}
