import { document, type Operation, operationOf } from './document.ts';
import { mistakesInAnswer } from './schemas.ts';

/** What is put into an operation. */
export interface Call {
  /** Of the path, beside `ns`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form or bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
}

export interface Caller {
  readonly url: string;
  readonly namespace: string;
  /** None is shown where it is empty. */
  readonly token: string;
}

/** Calls operations and holds every answer against the document. */
export interface CheckedCalls {
  /**
   * @returns the good status, or the code of the error
   * @throws an Error about whatever is not as the document says
   */
  call(caller: Caller, id: string, call?: Call): Promise<string>;
  /** `operation answer`, for all that has come. */
  readonly seen: ReadonlySet<string>;
}

export function checkedCalls(): CheckedCalls {
  const seen = new Set<string>();
  return {
    seen,
    call: async (caller, id, call = {}) => {
      const operation = operationOf(id);
      const response = await ask(caller, operation, call);
      const answer = check(operation, response, await response.text());
      seen.add(`${id} ${answer}`);
      return answer;
    },
  };
}

function ask({ url, namespace, token }: Caller, { method, path }: Operation, call: Call): Promise<Response> {
  const params: Record<string, string> = { ns: namespace, ...call.params };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const { body } = call;
  const isRaw = body instanceof FormData || body instanceof Uint8Array;
  return fetch(`${url}${filled}${call.query ?? ''}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
}

function check({ operationId, responses }: Operation, response: Response, text: string): string {
  const status = String(response.status);
  const said = `${operationId} answered ${status} ${text.slice(0, 300)}`;
  const documented = responses[status];
  if (documented === undefined) throw new Error(`${said}: it may not answer that`);
  for (const name of ['x-request-id', ...(status === '401' ? ['www-authenticate'] : [])])
    if (!response.headers.has(name)) throw new Error(`${said} without ${name}`);
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const media = documented.content?.[type];
  if (documented.content === undefined && text === '') return status;
  if (media === undefined) throw new Error(`${said}: it may not answer with ${type}`);
  const wrong = valuesOf(type, text).flatMap((value) =>
    mistakesInAnswer(schemaOf(type, media.schema), value),
  );
  if (wrong.length > 0) throw new Error(`${said}: ${wrong.join(', ')}`);
  if (media.examples === undefined) return status;
  const { code } = JSON.parse(text) as { code: string };
  if (media.examples[code] === undefined) throw new Error(`${said}: it may not answer ${code}`);
  return code;
}

/** Lines and events hold a value each. */
function valuesOf(type: string, text: string): unknown[] {
  if (type === 'text/plain') return [text];
  const lines = text.split('\n').filter((line) => line !== '');
  if (type === 'text/event-stream')
    return lines.flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  return type === 'application/json' ? [JSON.parse(text)] : lines.map((line) => JSON.parse(line));
}

/** The document says of a stream of events only that it is text; what its description says of the text is held here. */
function schemaOf(type: string, schema: Readonly<Record<string, unknown>>) {
  return type === 'text/event-stream' ? (document.components.schemas.LogLine ?? {}) : schema;
}
