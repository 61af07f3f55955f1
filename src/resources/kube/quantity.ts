/** The quantities that specs may hold: no sign, no exponent, at most nano precision. */
export const QUANTITY = /^([0-9]{1,15})(?:\.([0-9]{1,9}))?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/;

/** The same without capture groups, for a schema. */
export const QUANTITY_PATTERN = /^[0-9]{1,15}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/;

const NANO = 1_000_000_000n;
const MICRO = 1_000_000n;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

interface Quantity {
  /** Billionths of one, rounded up, as Kubernetes rounds. */
  readonly nano: bigint;
  readonly binary: boolean;
}

/** Factor of a suffix, in billionths. */
function factor(suffix: string): bigint {
  const binary = BINARY.indexOf(suffix as (typeof BINARY)[number]);
  if (binary > 0) return NANO * 1024n ** BigInt(binary);
  return 1000n ** BigInt(DECIMAL.indexOf(suffix as (typeof DECIMAL)[number]));
}

/** An installation knows a few dozen spellings, and each sync meets them again. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, Quantity | undefined>();

function parse(text: string): Quantity | undefined {
  if (remembered.has(text)) return remembered.get(text);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const quantity = parseAnew(text);
  remembered.set(text, quantity);
  return quantity;
}

function parseAnew(text: string): Quantity | undefined {
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', suffix = ''] = match;
  const scale = 10n ** BigInt(fraction.length);
  const exact = BigInt(whole + fraction) * factor(suffix);
  return { nano: (exact + scale - 1n) / scale, binary: suffix.endsWith('i') };
}

/**
 * The spelling in which the API server stores an amount of a container's resources: `0.5` is `500m`, `1024Mi` is `1Gi`. Another
 * would be rewritten by it, and be written again at every sync. Text that is no quantity comes back as it is.
 */
export function canonicalQuantity(text: string): string {
  const quantity = parse(text);
  if (quantity === undefined) return text;
  // Container resources are rounded up to thousandths when the API server fills in defaults.
  const milli = (quantity.nano + MICRO - 1n) / MICRO;
  if (milli === 0n) return '0';
  const whole = milli % 1000n === 0n ? milli / 1000n : undefined;
  if (quantity.binary && whole !== undefined && whole >= 1024n) return largestSuffix(whole, 1024n, BINARY);
  return largestSuffix(milli, 1000n, DECIMAL.slice(2));
}

function largestSuffix(amount: bigint, base: bigint, suffixes: readonly string[]): string {
  let rest = amount;
  let index = 0;
  while (rest % base === 0n && index < suffixes.length - 1) {
    rest /= base;
    index += 1;
  }
  return `${rest}${suffixes[index]}`;
}

/** Negative, zero or positive as `a` is less, equal or more than `b`; `undefined` when one is no quantity. */
export function compareQuantities(a: string, b: string): number | undefined {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) return undefined;
  return left.nano < right.nano ? -1 : left.nano > right.nano ? 1 : 0;
}

/** Whether a quantity lies between two others, both included. */
export function quantityWithin(text: string, min: string, max: string): boolean {
  return (compareQuantities(text, min) ?? -1) >= 0 && (compareQuantities(text, max) ?? 1) <= 0;
}
