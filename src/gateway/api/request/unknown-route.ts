import type { NotFoundHandler } from 'hono';
import { SlessError } from '../../../errors.ts';
import { toErrorAnswer } from '../answer/error-body.ts';
import type { ApiApp, ApiEnv } from '../deps.ts';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** 404 for a path that does not exist, 405 with `Allow` for one that exists for other methods. */
export function unknownRoute(app: Pick<ApiApp, 'routes'>): NotFoundHandler<ApiEnv> {
  const known = knownPaths(app);
  return (c) => {
    const { method, path } = c.req;
    const methods = known.find(({ pattern }) => pattern.test(path))?.methods;
    const error =
      methods === undefined
        ? new SlessError('NotFound', `there is nothing at ${path}`)
        : new SlessError('MethodNotAllowed', `${method} is not possible here: use ${methods.join(' or ')}`);
    const { status, body } = toErrorAnswer(error);
    // The table of errors holds statuses with bodies alone.
    return c.json(body, status as 404 | 405, methods === undefined ? {} : { allow: methods.join(', ') });
  };
}

function knownPaths(app: Pick<ApiApp, 'routes'>): readonly KnownPath[] {
  const routes = app.routes.filter(({ method }) => method !== 'ALL');
  const byPath = Object.groupBy(routes, ({ path }) => path);
  return Object.entries(byPath).map(([path, group]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[^/]+/g, '[^/]+')}$`),
    methods: [...new Set((group ?? []).map(({ method }) => method))],
  }));
}
