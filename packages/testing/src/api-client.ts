import { type Client, createClient, send } from '@leadtrail/contract/client';
import { routes } from '@leadtrail/contract/routes';
import { fetchDescribed } from './checked-answers.ts';

/** The contract's client; an answer that the OpenAPI document does not describe is a failure. */
export function apiClient(url: string, key?: string): Client {
  return createClient(routes, (method, address, input) =>
    send(method, url + address, { ...input, key }, fetchDescribed),
  );
}
