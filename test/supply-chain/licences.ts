/** What may be handed on inside an image under Apache-2.0 without asking anyone: permissive licences, by their SPDX ids. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Unlicense',
]);

/** What a lock file of npm says of a package. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Whether one of the licences that a package offers is on the list. Of parts under several, each must be. */
export function isAllowed(licence: string): boolean {
  const words = licence.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const any = (): boolean => {
    let allowed = all();
    while (words[at] === 'OR') {
      at += 1;
      const other = all();
      allowed ||= other;
    }
    return allowed;
  };
  const all = (): boolean => {
    let allowed = one();
    while (words[at] === 'AND') {
      at += 1;
      const other = one();
      allowed &&= other;
    }
    return allowed;
  };
  const one = (): boolean => {
    const word = words[at++] ?? '';
    if (word !== '(') return ALLOWED.has(word);
    const inside = any();
    return words[at++] === ')' && inside;
  };
  const allowed = any();
  return allowed && at === words.length;
}

/** Packages of an installation without dev dependencies whose licence nobody has looked at: `name@version: licence`. */
export function unknownLicences(packages: Readonly<Record<string, LockedPackage>>): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .filter(([, { license }]) => license === undefined || !isAllowed(license))
    .map(
      ([path, { version, license }]) =>
        `${path.replace(/^.*node_modules\//, '')}@${version}: ${license ?? 'none'}`,
    );
}
