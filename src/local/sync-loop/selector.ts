import { z } from 'zod';

const requirement = z.strictObject({
  key: z.string().min(1),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(z.string()).nullish(),
});

/** A label selector as Kubernetes writes it. An empty one selects everything. */
export const selectorSchema = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).nullish(),
  matchExpressions: z.array(requirement).nullish(),
});

export type Selector = z.infer<typeof selectorSchema>;
type Requirement = z.infer<typeof requirement>;
type Labels = Readonly<Record<string, string>>;

/** Whether a selector, if there is one, selects what has these labels. */
export function selects(selector: Selector | null | undefined, labels: Labels = {}): boolean {
  const equal = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return equal && (selector?.matchExpressions ?? []).every((wanted) => meets(wanted, labels));
}

function meets({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && (values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
