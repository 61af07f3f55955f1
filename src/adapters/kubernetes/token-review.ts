import { z } from 'zod';
import { SlessError } from '../../errors.ts';
import type { TokenReview } from '../../ports/token-review.ts';
import type { Connection } from './connection.ts';

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';

/** What the API server says of the tokens that the kubelet projects into pods. */
const POD_UID = 'authentication.kubernetes.io/pod-uid';

const answerSchema = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    audiences: z.array(z.string()).default([]),
    user: z
      .object({
        username: z.string().default(''),
        extra: z.record(z.string(), z.array(z.string())).default({}),
      })
      .optional(),
  }),
});

/** Token reviews by the API server. */
export function createKubernetesTokenReview({
  connection,
}: {
  readonly connection: Pick<Connection, 'request'>;
}): TokenReview {
  return {
    review: async (token, audience) => {
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: [audience] },
      };
      const answer = answerSchema.safeParse(await connection.request({ method: 'POST', path: PATH, body }));
      if (!answer.success)
        throw new SlessError('Unavailable', `POST ${PATH}: the answer is no review`, { cause: answer.error });
      const { authenticated, audiences, user } = answer.data.status;
      // An authenticator that knows nothing of audiences names none, and its word is about the API server alone.
      if (!authenticated || !audiences.includes(audience) || !user?.username) return undefined;
      const podUid = user.extra[POD_UID]?.[0];
      return { username: user.username, ...(podUid === undefined ? {} : { podUid }) };
    },
  };
}
