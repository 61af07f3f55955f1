import { canonicalQuantity as canonicalText } from '../../../resources/kube/quantity.ts';

/** A quantity of a container as the API server writes it back, which takes numbers too: `0.5` → `500m`, `2` → `'2'`. */
export function canonicalQuantity(quantity: unknown): unknown {
  const isAmount = typeof quantity === 'string' || typeof quantity === 'number';
  return isAmount ? canonicalText(String(quantity)) : quantity;
}
