import { expect, test } from 'vitest';
import { craneFailure, exitCodeOf, mayPass } from './refusal.ts';

test.each([
  ['RegistryRefused', 77, 'pushing image r/i: POST https://r/v2/: unexpected status code 403 Forbidden'],
  ['RegistryRefused', 77, 'HEAD https://r/v2/: unexpected status code 401 Unauthorized'],
  ['RegistryRefused', 77, 'denied: requested access to the resource is denied'],
  ['RegistryRefused', 77, 'PUT https://r/v2: DENIED: quota exceeded'],
  ['RegistryRefused', 77, 'PUT https://r/v2: UNAUTHORIZED: authentication required'],
  ['ImageTooLarge', 73, 'PATCH https://r/v2/: unexpected status code 413 Request Entity Too Large'],
  ['BuilderUnavailable', 66, 'pulling r/runtime:v1: MANIFEST_UNKNOWN: manifest unknown'],
  ['BuilderUnavailable', 66, 'GET https://r/v2/runtime/manifests/v1: unexpected status code 404 Not Found'],
  ['BuildFailed', 65, 'loading /proc/self/fd/3 as tarball: file manifest.json not found in tar'],
  ['RegistryUnavailable', 69, 'POST https://r/v2/: unexpected status code 503 Service Unavailable'],
  ['RegistryUnavailable', 69, 'Get "https://r/v2/": dial tcp: lookup r: no such host'],
  ['RegistryUnavailable', 69, 'dial tcp 10.0.0.1:5000: connect: connection refused'],
  ['RegistryUnavailable', 69, 'TOOMANYREQUESTS: retry-after: 1s'],
  ['RegistryUnavailable', 69, 'words that nobody has seen before'],
])('%s, exit code %i: crane said %s', (code, exitCode, said) => {
  const error = craneFailure(['2026/03/01 12:00:00 pushed blob: sha256:404', `Error: ${said}`]);
  expect(error).toMatchObject({ code, message: said });
  expect(exitCodeOf(error)).toBe(exitCode);
  expect(mayPass(error)).toBe(code === 'RegistryUnavailable');
});

test('what crane says before its complaint is no complaint', () => {
  expect(craneFailure(['existing blob: status code 403 DENIED', 'Error: EOF'])).toMatchObject({
    code: 'RegistryUnavailable',
  });
  expect(craneFailure([])).toMatchObject({ message: 'crane ended without a word' });
});
