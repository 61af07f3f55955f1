import { z } from 'zod';
import { SlessError } from '../../errors.ts';
import type { AccessReview } from '../../ports/access-review.ts';
import type { Connection } from './connection.ts';

const PATH = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const GROUP = 'sless.dev';

const answerSchema = z.object({
  status: z.object({ allowed: z.boolean(), denied: z.boolean().default(false) }),
});

/** Access reviews by the API server. Groups are not part of the question: a token of ours proves a name and nothing else. */
export function createKubernetesAccessReview({
  connection,
}: {
  readonly connection: Pick<Connection, 'request'>;
}): AccessReview {
  return {
    allows: async ({ user, verb, resource, namespace, name }) => {
      const about = { group: GROUP, resource, namespace, verb, ...(name === undefined ? {} : { name }) };
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, resourceAttributes: about },
      };
      const answer = answerSchema.safeParse(await connection.request({ method: 'POST', path: PATH, body }));
      if (!answer.success)
        throw new SlessError('Unavailable', `POST ${PATH}: the answer is no review`, { cause: answer.error });
      const { allowed, denied } = answer.data.status;
      return allowed && !denied;
    },
  };
}
