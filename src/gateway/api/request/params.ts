import { z } from '@hono/zod-openapi';
import { functionJobName, functionName, triggerName } from '../../../resources/kube/names.ts';

// Whether the token may use it was checked before: a name of another shape never gets here.
const ns = z.string().openapi({
  description:
    'The namespace of the token; another one where the installation asks Kubernetes who may use it.',
  example: 'sless-2bd806c97f0e00af',
});

export const namespaceParams = z.object({ ns });
export const functionParams = z.object({
  ns,
  name: functionName.describe("The function's name.").openapi({ example: 'hello' }),
});
export const triggerParams = z.object({
  ns,
  name: triggerName.describe("The trigger's name.").openapi({ example: 'hello-http' }),
});
export const jobParams = z.object({
  ns,
  name: functionJobName.describe("The job's name.").openapi({ example: 'migrate' }),
});
