import { stringify } from 'yaml';
import { PLAIN_SEGMENT, sourcePrefix } from '../resources/function/source-key.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import type { GeneratedFile } from './generator.ts';

const NAME = 'sless-function-source';

const HEADER = `# Generated from src/resources/function/source-key.ts by \`npm run generate\`. Do not edit.
#
# Refuses a Function that names code of another one, when it is written. The hook refuses the same (ForbiddenSource) where this is not
# installed; an API server says it at once, and to who does it. The variable \`bucket\` must be S3_BUCKET.
`;

/** The ValidatingAdmissionPolicy for `s3Key` and `s3Bucket`: a CRD's own rules do not know the namespace. */
export function sourcePolicyFile(): readonly GeneratedFile[] {
  const documents = [policy(), binding()].map((document) => stringify(document, { lineWidth: 0 }));
  return [{ path: 'manifests/function-source.yaml', content: HEADER + documents.join('---\n') }];
}

function policy(): object {
  const [group, version] = KINDS.Function.apiVersion.split('/');
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [group],
            apiVersions: [version],
            operations: ['CREATE', 'UPDATE'],
            resources: [KINDS.Function.plural],
          },
        ],
      },
      variables: [
        { name: 'bucket', expression: "'sless'" },
        { name: 'prefix', expression: prefix() },
      ],
      validations: [
        validation('s3Key', isOwnKey(), "must be a key below ' + variables.prefix"),
        validation(
          's3Bucket',
          'object.spec.s3Bucket == variables.bucket',
          "must be ' + variables.bucket + ', or absent'",
        ),
      ],
    },
  };
}

function binding(): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ['Deny'] },
  };
}

/** `sourcePrefix` in CEL. */
function prefix(): string {
  const made = sourcePrefix({ namespace: '<namespace>', name: '<name>' });
  const literal = (text: string): string => `'${text}'`;
  return made
    .split(/(<namespace>|<name>)/)
    .map((part) =>
      part === '<namespace>'
        ? 'request.namespace'
        : part === '<name>'
          ? 'object.metadata.name'
          : literal(part),
    )
    .join(' + ');
}

/** `isOwnKey` in CEL. */
function isOwnKey(): string {
  const rest = `^${PLAIN_SEGMENT}(/${PLAIN_SEGMENT})*$`;
  const below = `object.spec.s3Key.substring(variables.prefix.size()).matches('${rest}')`;
  return `object.spec.s3Key.startsWith(variables.prefix) && ${below}`;
}

/**
 * What stands in an object from before must not keep anybody from changing, or from deleting, the rest of it. `message` goes on inside of a
 * CEL text.
 */
function validation(field: string, holds: string, message: string): object {
  const isUnchanged = `oldObject != null && has(oldObject.spec.${field}) && oldObject.spec.${field} == object.spec.${field}`;
  return {
    expression: `!has(object.spec.${field}) || (${isUnchanged}) || (${holds})`,
    messageExpression: `'spec.${field}: ${message}`,
    reason: 'Forbidden',
  };
}
