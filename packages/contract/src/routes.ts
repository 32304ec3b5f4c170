import type { Route, Routes } from './client.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';

/** What `createClient` has to know of each endpoint. The dashboard gets a copy when it is built. */
export const routes = Object.fromEntries(
  Object.entries<Endpoint>(endpoints).map(([name, { method, path, produces, streams }]): [string, Route] => [
    name,
    { method, path, isText: produces !== undefined || streams !== undefined },
  ]),
) as Routes;
