import { isErrorCode, SlessError } from '../../../errors.ts';
import type { ConsoleDeps } from '../deps.ts';

/** `/v1` for one token, as pages read it. */
export interface RestClient {
  /**
   * The JSON behind a path below `/v1/namespaces/`. Its type is the one of the operation's answer.
   *
   * @throws SlessError what REST has answered
   */
  read<T>(path: string): Promise<T>;
}

export function restClient({ api }: Pick<ConsoleDeps, 'api'>, token: string): RestClient {
  return {
    read: async <T>(path: string) => {
      const request = new Request(`http://console${V1}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const response = await api.fetch(request, {});
      const body: unknown = await response.json();
      if (!response.ok) throw errorOf(body);
      return body as T; // what the operation at this path is declared to answer
    },
  };
}

export const V1 = '/v1/namespaces/';

function errorOf(body: unknown): SlessError {
  const { error, code, details } = body as { error?: unknown; code?: unknown; details?: readonly string[] };
  return new SlessError(
    isErrorCode(code) ? code : 'Internal',
    String(error),
    details === undefined ? {} : { details },
  );
}
