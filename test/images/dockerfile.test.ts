import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { imageOrders } from '../../images/build-with-crane.ts';
import { parseDockerfile } from '../../images/crane/dockerfile.ts';
import { parseIgnore } from '../../images/crane/ignore.ts';

test('stages, steps and configuration are read in their order', () => {
  const [first, last] = parseDockerfile(`
# a comment
ARG BASE=node:24
FROM \${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci \\
 && echo done

FROM \${BASE}
COPY --from=dependencies /app/node_modules node_modules/
ENV A=b C="d e" \\
    E=f
EXPOSE 8080 53/udp
USER 65532:65532
ENTRYPOINT ["node", "/app/x.ts"]
CMD ["operator"]
`);
  expect(first).toMatchObject({
    name: 'dependencies',
    from: 'node:24',
    steps: [
      { type: 'copy', sources: ['package.json', 'package-lock.json'], target: './', folder: '/app' },
      { type: 'run', command: 'npm ci   && echo done', folder: '/app' },
    ],
  });
  expect(last).toEqual({
    name: undefined,
    from: 'node:24',
    steps: [
      {
        type: 'copy',
        from: 'dependencies',
        sources: ['/app/node_modules'],
        target: 'node_modules/',
        folder: '/',
      },
    ],
    config: {
      env: { A: 'b', C: 'd e', E: 'f' },
      workdir: '/',
      user: '65532:65532',
      entrypoint: ['node', '/app/x.ts'],
      cmd: ['operator'],
      ports: ['8080', '53/udp'],
    },
  });
});

test('an ARG before FROM can be given', () => {
  expect(parseDockerfile(`ARG B=x\nFROM \${B}`, { B: 'y:1' })[0]?.from).toBe('y:1');
});

test.each([
  ['COPY a b', /stands before FROM/],
  ['', /has no FROM/],
  [`FROM \${NOTHING}`, /names no image/],
  ['FROM a\nADD x y', /ADD x y: is not known here/],
  ['FROM a\nCOPY --chown=1 x y', /COPY .* not known here/],
  ['FROM a\nCOPY *.json y', /patterns that are not known/],
  ['FROM a\nRUN ["x"]', /shell form only/],
  ['FROM a\nRUN --mount=type=cache x', /shell form only/],
  ['FROM a\nENV A=$B', /without references/],
  ['FROM a\nENV A b', /NAME=value/],
  ['FROM a\nENTRYPOINT node x', /JSON list/],
  ['FROM a\nCMD ["a,b"]', /without commas/],
])('%j is refused by name', (text, words) => {
  expect(() => parseDockerfile(text)).toThrow(words);
});

test('the last rule that matches a file or one of its folders decides', () => {
  const ignored = parseIgnore('*\n!src\n!package.json\n# a comment\n**/*.test.ts\n**/node_modules\n');
  const paths = ['README.md', 'src/a/b.ts', 'src/a/b.test.ts', 'package.json', 'src/x/node_modules/y/z.js'];
  expect(paths.filter((path) => !ignored(path))).toEqual(['src/a/b.ts', 'package.json']);
});

test.each(imageOrders().map((order) => [order.image, order] as const))(
  'the Dockerfile of %s is understood, and what it copies is there',
  (_image, { dockerfile, context }) => {
    const stages = parseDockerfile(readFileSync(dockerfile, 'utf8'));
    const copied = stages.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.type === 'copy' && step.from === undefined ? step.sources : [])),
    );
    expect(copied.filter((path) => !existsSync(join(context, path)))).toEqual([]);
    expect(stages.at(-1)?.config).toMatchObject({ user: '65532:65532', entrypoint: expect.any(Array) });
  },
);

test('the image of sless holds all that it runs from, and no tests', () => {
  const home = resolve(import.meta.dirname, '../..');
  const ignored = parseIgnore(readFileSync(join(home, 'images/sless/Dockerfile.dockerignore'), 'utf8'));
  // Everything that the program looks for in its own folder, whichever role it is.
  const folders = ['src', 'runtimes', 'metacontroller', 'examples'];
  const wanted = folders.flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          /\.(ts|json|yaml|js|py|html)$/.test(file) && !/test|golden|node_modules|__pycache__/.test(file),
      )
      .map((file) => `${folder}/${file}`),
  );
  expect(wanted.length).toBeGreaterThan(100);
  expect([...wanted, 'package.json', 'package-lock.json'].filter(ignored)).toEqual([]);
  const stages = parseDockerfile(readFileSync(join(home, 'images/sless/Dockerfile'), 'utf8'));
  const copied = stages.at(-1)?.steps.flatMap((step) => (step.type === 'copy' ? step.sources : [])) ?? [];
  expect(folders.filter((folder) => !copied.some((source) => source.replace(/\/$/, '') === folder))).toEqual(
    [],
  );
  expect(
    ['src/errors.test.ts', 'docs/x.md', '.git/config', '.sless/token'].filter((path) => !ignored(path)),
  ).toEqual([]);
});
