import { secureHeaders } from 'hono/secure-headers';
import { FOR_GOOD, sendAsset } from '../../assets/asset.ts';
import type { ApiApp } from '../deps.ts';
import { type DocsFiles, readDocsFiles } from './files.ts';

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
  app.get('/v1/docs', (c) => sendAsset(c, read().page, 'no-cache'));
  app.get('/v1/docs/', (c) => c.redirect('../docs', 308));
  app.get('/v1/docs/:folder/:file', async (c, next) => {
    const { folder, others } = read();
    const { file, folder: asked } = c.req.param();
    const found = asked === folder ? others.get(file) : undefined;
    return found === undefined ? next() : sendAsset(c, found, FOR_GOOD);
  });
}
