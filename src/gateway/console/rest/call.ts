import { z } from 'zod';
import { SlessError } from '../../../errors.ts';
import type { FunctionAnswer as FunctionFields } from '../../api/functions/answer.ts';
import { readBytes } from '../../api/request/raw-body.ts';
import { BASE } from '../base-path.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps } from '../deps.ts';
import { restClient } from './client.ts';
import type { FunctionAnswer } from './function-caller.ts';

/** A body that somebody types, and its JSON around it. */
const MAX_CALL_BYTES = 1_048_576;
/** Names and values as HTTP has them (RFC 9110 §5.6.2): node:http would refuse others with a stack. */
const callSchema = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  target: z
    .string()
    .max(8192)
    .regex(/^(?:[/?][\x21-\x7e]*)?$/, 'must begin with / or ? and be written in ASCII, without spaces'),
  headers: z
    .array(
      z.tuple([
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'a header needs a name, a colon and a value'),
        z
          .string()
          .max(8192)
          .regex(/^[\t\x20-\x7e]*$/, 'values of headers are written in ASCII'),
      ]),
    )
    .max(64),
  body: z.string(),
});

/** `POST /funcs/-/call/{ns}/{name}`: calls a function as anybody would, and tells what came back. */
export function registerCall(app: ConsoleApp, deps: ConsoleDeps): void {
  const { callFunction } = deps;
  app.post(`${BASE}/-/call/:ns/:name`, async (c) => {
    if (callFunction === undefined)
      throw new SlessError('NotImplemented', 'functions cannot be called from here');
    const { ns: namespace, name } = c.req.param();
    const wish = parseCall(await readText(c));
    const rest = restClient(deps, c.get('session').token);
    const { url } = await rest.read<FunctionFields>(
      `${encodeURIComponent(namespace)}/functions/${encodeURIComponent(name)}`,
    );
    if (url === null) throw new SlessError('AwaitingCode', 'it has no URL: give it an http trigger first');
    const startedAt = deps.clock.now();
    const answer = await callFunction({ namespace, name, url, ...wish }, c.req.raw.signal);
    return c.json({ ...told(answer), milliseconds: deps.clock.now() - startedAt });
  });
}

async function readText(c: ConsoleContext): Promise<string> {
  const { incoming } = c.env;
  return incoming === undefined ? c.req.text() : (await readBytes(incoming, MAX_CALL_BYTES)).toString('utf8');
}

function parseCall(text: string): z.infer<typeof callSchema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new SlessError('InvalidRequest', 'the body is not JSON', { cause });
  }
  const parsed = callSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(
    ({ path, message }) => `${String(path[0] ?? 'the call')}: ${message}`,
  );
  throw new SlessError('InvalidRequest', details.join('; '), { details });
}

/** What is no text is only counted. */
function told({ status, headers, body, cut }: FunctionAnswer): object {
  return { status, headers, text: isText(body, cut) ? body.toString('utf8') : null, bytes: body.length, cut };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function isText(body: Buffer, cut: boolean): boolean {
  try {
    const text = utf8.decode(body, { stream: cut });
    if (cut) utf8.decode(); // forgets the character that was cut
    return !text.includes('\0');
  } catch {
    return cut && !body.includes(0);
  }
}
