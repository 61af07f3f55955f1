const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
const DECIMAL: readonly (readonly [suffix: string, power: number])[] = [
  ['P', 15],
  ['T', 12],
  ['G', 9],
  ['M', 6],
  ['k', 3],
  ['', 0],
  ['m', -3],
];

/**
 * A Kubernetes quantity as the API server writes it back: `0.5` → `500m`, `1000m` → `1`, `1024Mi` → `1Gi`. What is no
 * quantity, or finer than a thousandth (a byte for binary suffixes), stays as it is.
 */
export function canonicalQuantity(quantity: unknown): unknown {
  const match = /^(\d+(?:\.\d+)?)(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/.exec(String(quantity));
  if (!match) return quantity;
  const number = Number(match[1]);
  const suffix = match[2] ?? '';
  if (number === 0) return '0';
  const power = BINARY.indexOf(suffix) + 1;
  return (power > 0 ? binary(number * 1024 ** power) : decimal(number, suffix)) ?? quantity;
}

function binary(bytes: number): string | undefined {
  if (!Number.isSafeInteger(bytes)) return undefined;
  const power = BINARY.findLastIndex((_, index) => bytes % 1024 ** (index + 1) === 0);
  return power < 0 ? String(bytes) : `${bytes / 1024 ** (power + 1)}${BINARY[power]}`;
}

function decimal(number: number, suffix: string): string | undefined {
  const given = DECIMAL.find(([known]) => known === suffix)?.[1] ?? 0;
  const thousandths = Math.round(number * 10 ** (given + 3));
  if (!Number.isSafeInteger(thousandths) || Math.abs(thousandths - number * 10 ** (given + 3)) > 1e-6)
    return undefined;
  const [best, power] = DECIMAL.find(([, size]) => thousandths % 10 ** (size + 3) === 0) ?? ['m', -3];
  return `${thousandths / 10 ** (power + 3)}${best}`;
}
