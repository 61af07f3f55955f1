import type { z } from 'zod';
import { SlessError } from '../../../errors.ts';
import { fieldPath } from '../../../resources/kube/field-path.ts';
import { essential, issueText } from '../../../resources/kube/issue-text.ts';

type Issue = z.core.$ZodIssue;

/**
 * One `InvalidRequest` for everything that a schema found, each mistake led by its path: `env: names must be …`.
 *
 * @param rename the REST name of the first step of a path, where the schema speaks of specs.
 */
export function invalidRequest(
  issues: readonly Issue[],
  rename: (field: string) => string = (field) => field,
): SlessError {
  const details = essential(issues).flatMap((issue) => lines(issue, rename));
  return new SlessError('InvalidRequest', `the request is not valid: ${details.join('; ')}`, { details });
}

function lines(issue: Issue, rename: (field: string) => string): string[] {
  const [first, ...rest] = issue.path;
  const path = fieldPath(typeof first === 'string' ? [rename(first), ...rest] : issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${path === '' ? '' : `${path}.`}${key}: there is no such field`);
  const text = issueText(issue);
  if (path !== '') return [`${path}: ${text}`];
  return [issue.code === 'invalid_type' ? `the body ${text}` : text];
}
