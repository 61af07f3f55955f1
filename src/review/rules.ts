/** A fixed rule: a sign that needs no judgement. */
interface Rule {
  readonly name: string;
  /** What is wrong, in words that follow the file's name. */
  readonly what: string;
  /** Whether a piece of a file shows it. Its time must be linear in the piece, whoever wrote that. */
  breaks(piece: string): boolean;
}

const matching = (name: string, what: string, pattern: RegExp): Rule => ({
  name,
  what,
  breaks: (piece) => pattern.test(piece),
});

/**
 * Each rule is narrow: what an ordinary function may well do is left to the model. They are evaded by whoever knows them;
 * they are there for what is copied from elsewhere.
 */
const RULES: readonly Rule[] = [
  matching(
    'miner',
    'speaks the protocol of a mining pool, or names a miner',
    /stratum\+(?:tcp|ssl):\/\/|\bxmrig\b|\bcpuminer\b|\bcryptonight\b|\bminerd\s{1,4}-o\b/i,
  ),
  matching(
    'reverse-shell',
    'opens a shell to another machine',
    /\/dev\/tcp\/[\w.$-]{1,100}\/[\d$]|\bnc(?:at)? [^\n]{0,60}-e ?['"]?(?:\/usr)?(?:\/bin\/)?(?:ba|z|da)?sh\b|bash\s{1,4}-i\s{0,4}>&|\bdup2\s?\(\s?\w{1,20}\.fileno\s?\(\s?\)\s?,\s?[012]\s?\)[\s\S]{0,400}(?:\/sh\b|bash|pty\.spawn)/,
  ),
  { name: 'hidden-code', what: 'runs code that it decodes from a long text', breaks: hidesCode },
  matching(
    'container-escape',
    'reaches for the node that it runs on',
    /\/proc\/1\/root\/|\bnsenter [^\n]{0,60}(?:-t ?1\b|--target[= ]1\b)|\/run\/docker\.sock|\/sys\/fs\/cgroup\/[^\n]{0,80}release_agent/,
  ),
];

const LONG_TEXT = /[A-Za-z0-9+/=]{400,}/g;
const RUNS = /\b(?:exec|eval)\s?\(|new\s+Function\s?\(|\bvm\.run\w+\s?\(/;
const DECODES = /b64decode|\batob\b|fromhex|unhexlify|decompress|marshal\.loads|Buffer\.from/;
/** Around the text: the call before it, or the one that takes the variable after it. */
const AROUND = 300;

/** Base64 is data as well as code; with both a decoder and an interpreter's name beside it, it is code. */
function hidesCode(piece: string): boolean {
  for (const { index, 0: run } of piece.matchAll(LONG_TEXT)) {
    const beside =
      piece.slice(Math.max(0, index - AROUND), index) +
      piece.slice(index + run.length, index + run.length + AROUND);
    if (RUNS.test(beside) && DECODES.test(beside)) return true;
  }
  return false;
}

/** The first rule that a piece of a file breaks, as `name` and in words. */
export function brokenRule(piece: string): Pick<Rule, 'name' | 'what'> | undefined {
  return RULES.find((rule) => rule.breaks(piece));
}

const LIFECYCLE = [
  ...['preinstall', 'install', 'postinstall', 'prepublish'],
  ...['preprepare', 'prepare', 'postprepare'],
];

/** The scripts in a package.json that npm runs by itself when it installs; none for a text that is no JSON: npm will say so. */
export function installScripts(packageJson: string): readonly string[] {
  try {
    // npm reads over a byte order mark.
    const { scripts } = (JSON.parse(packageJson.replace(/^\ufeff/, '')) ?? {}) as {
      readonly scripts?: unknown;
    };
    if (typeof scripts !== 'object' || scripts === null) return [];
    return LIFECYCLE.filter((name) => Object.hasOwn(scripts, name));
  } catch {
    return [];
  }
}
