import { SETTINGS } from '../../src/config/settings.ts';

/** Shorter ones are words that stand in any text, such as `guest`. */
const SHORTEST = 8;

/** Where a text holds a secret, in whatever form: `name (form)`, each once. */
export function leaks(text: string, secrets: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(formsOf(secret))
      .filter(([, forms]) => forms.some((form) => text.includes(form)))
      .map(([form]) => `${name} (${form})`),
  );
}

function formsOf(secret: string): Readonly<Record<string, readonly string[]>> {
  const bytes = Buffer.from(secret);
  return {
    plain: [secret],
    // A library may quote its configuration inside a message that becomes JSON again.
    'in JSON': [JSON.stringify(secret).slice(1, -1)],
    'in a URL': [encodeURIComponent(secret), encodeURI(secret)],
    hex: [bytes.toString('hex')],
    base64: [0, 1, 2].flatMap((before) => [
      inBase64(bytes, before, 'base64'),
      inBase64(bytes, before, 'base64url'),
    ]),
  };
}

/** The characters of base64 that depend on the secret alone, where so many bytes (modulo 3) stand before it. */
function inBase64(secret: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const whole = Buffer.concat([Buffer.alloc(before), secret]);
  const text = whole.toString(encoding).replace(/=+$/, '');
  const end = Math.floor((whole.length * 8) / 6);
  return text.slice(Math.ceil((before * 8) / 6), end);
}

/** The secrets in an environment: what the table of settings says is one, and the password in a URL. */
export function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const secret = Object.values(SETTINGS).filter((setting) => setting.secret === true);
  return Object.fromEntries(
    secret
      .map(({ name }) => [name, passwordIn(env[name] ?? '')] as const)
      .filter(([, value]) => value.length >= SHORTEST),
  );
}

function passwordIn(value: string): string {
  return URL.canParse(value) ? decodeURIComponent(new URL(value).password) : value;
}

/** What makes a JWT worth stealing: without its signature it proves nothing. */
export function signatureOf(token: string): string {
  return token.split('.')[2] ?? token;
}
