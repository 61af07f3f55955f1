/** One object that the API server and the rules here must judge alike. */
export interface Row {
  readonly title: string;
  readonly kind: 'Function' | 'Trigger' | 'FunctionJob';
  readonly name: string;
  readonly spec: unknown;
  /** The spec before it, when the row is about an update. */
  readonly previous?: unknown;
  /** What is wrong: a text that both verdicts must hold. Absent for a good object. */
  readonly wrong?: string;
}

type Kind = Row['kind'];

/** Rows about one kind; each differs from a good object by what its title says. */
export function rowsOf(kind: Kind, goodSpec: object) {
  const spec = (change: object): object => ({ ...goodSpec, ...change });
  return {
    good: (title: string, change: object, name = 'hello'): Row => ({ title, kind, name, spec: spec(change) }),
    bad: (title: string, change: object, wrong: string): Row => ({
      title,
      kind,
      name: 'hello',
      spec: spec(change),
      wrong,
    }),
    badName: (name: string): Row => ({
      title: `name ${name}`,
      kind,
      name,
      spec: goodSpec,
      wrong: 'metadata.name',
    }),
    update: (title: string, change: object, wrong?: string): Row => ({
      title,
      kind,
      name: 'hello',
      previous: goodSpec,
      spec: spec(change),
      ...(wrong === undefined ? {} : { wrong }),
    }),
  };
}
