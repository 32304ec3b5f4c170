import { routes } from 'leadtrail:routes';
import {
  type AddressInput,
  ApiProblem,
  createClient,
  addressOf as routeAddress,
  type SendInput,
  send as sendRequest,
} from '@leadtrail/contract/client';
import { currentKey, refuseKey } from './key.ts';

export { ApiProblem };

const RETRIES_MAX = 2;

/** A 4xx will not succeed on retry. */
export function isWorthRetrying(failures: number, error: Error): boolean {
  const isRefused = error instanceof ApiProblem && error.status >= 400 && error.status < 500;
  return failures < RETRIES_MAX && !isRefused;
}

/** Calls an endpoint by its name in the contract, with its types. */
export const call = createClient(routes, send);

/** The address of an endpoint, for downloads. */
export function addressOf(name: keyof typeof routes, input?: AddressInput): string {
  return routeAddress(routes[name], input);
}

/** With the key of the signed-in user, unless another is given. */
export async function send(method: string, address: string, input: SendInput = {}): Promise<Response> {
  const { key = currentKey() ?? undefined } = input;
  try {
    return await sendRequest(method, address, { ...input, key });
  } catch (error) {
    // A key that is no longer valid leads back to the sign-in.
    if (error instanceof ApiProblem && error.status === 401 && key === currentKey()) refuseKey();
    throw error;
  }
}
