import { expect, test } from 'vitest';
import { CHILDREN } from '../../../test/hooks/children.ts';

// A change here that reaches spec.template of a Deployment restarts every function of an installation when the operator is
// upgraded. Such a change is a decision, and the upgrade page names it.
test.each(Object.entries(CHILDREN))('%s is made as before', async (name, child) => {
  await expect(`${JSON.stringify(child, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden.json`);
});
