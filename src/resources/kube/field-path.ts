import type { z } from 'zod';
import { essential, issueText } from './issue-text.ts';

const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/**
 * The path of a field in the one notation of all messages, that of kubectl: `spec.secrets[1]`, `metadata.labels["a.b/c"]`. Without a
 * root, the first name stands bare.
 */
export function fieldPath(path: readonly PropertyKey[], root = ''): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    const name = String(step);
    if (!PLAIN.test(name)) return `${before}[${JSON.stringify(name)}]`;
    return before === '' ? name : `${before}.${name}`;
  }, root);
}

/** Each mistake that a schema found as one line, led by the path of its field below `root`. */
export function issueLines(root: string, error: z.ZodError): string[] {
  return essential(error.issues).map((issue) => `${fieldPath(issue.path, root)}: ${issueText(issue)}`);
}
