import type { Context } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { ApiApp, ApiEnv } from '../deps.ts';
import { type DocsFiles, readDocsFiles, type SentFile } from './files.ts';

/** Everything from this very host, and nothing in the page's own text. */
const HEADERS: NonNullable<Parameters<typeof secureHeaders>[0]> = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    // Swagger UI's style sheet has its icons in it.
    imgSrc: ["'self'", 'data:'],
    // The document, and requests that are tried out.
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  crossOriginResourcePolicy: 'same-origin',
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
};

/** A year: the address is another one when the content is. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * The document as a page to browse, at `/v1/docs`. It is the same for everyone and tells nothing of anybody, so it is
 * the one part of `/v1` that is there without a token; what is tried out on it needs one as ever.
 *
 * @param document the OpenAPI document as JSON text, asked for when somebody looks
 */
export function registerDocs(app: ApiApp, document: () => string): void {
  let files: DocsFiles | undefined;
  const read = (): DocsFiles => {
    files ??= readDocsFiles(document());
    return files;
  };
  app.use('/v1/docs', secureHeaders(HEADERS));
  app.use('/v1/docs/*', secureHeaders(HEADERS));
  app.get('/v1/docs', (c) => send(c, read().page, 'no-cache'));
  app.get('/v1/docs/', (c) => c.redirect('../docs', 308));
  app.get('/v1/docs/:folder/:file', async (c, next) => {
    const { folder, others } = read();
    const { file, folder: asked } = c.req.param();
    const found = asked === folder ? others.get(file) : undefined;
    return found === undefined ? next() : send(c, found, FOR_GOOD);
  });
}

function send(c: Context<ApiEnv>, { type, plain, zipped }: SentFile, cacheControl: string): Response {
  const zips = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  return c.body(zips ? zipped : plain, 200, {
    'content-type': type,
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    ...(zips ? { 'content-encoding': 'gzip' } : {}),
  });
}
