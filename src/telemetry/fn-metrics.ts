/** What the proxy counts of one function, see its `RouteStats`. */
export interface FunctionStats {
  readonly namespace: string;
  readonly name: string;
  readonly inFlight: number;
  readonly byClass: readonly number[];
  readonly buckets: readonly number[];
  readonly durationSum: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

interface CallStats {
  readonly functions: Iterable<FunctionStats>;
  /** Answers that the proxy gave in a function's place, by error code. */
  readonly refused: ReadonlyMap<string, number>;
  /** Upper bounds of the buckets, in seconds; one more bucket holds what is beyond. */
  readonly bounds: readonly number[];
}

interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly lines: readonly string[];
}

/** The proxy's counts in the Prometheus text format. Names of functions and namespaces are DNS labels: nothing to escape. */
export function functionMetrics({ functions, refused, bounds }: CallStats): string {
  const all = [...functions];
  const families: readonly Family[] = [
    {
      name: 'sless_fn_requests_total',
      type: 'counter',
      help: 'Calls of functions by the class of their status; 0xx: the caller left before an answer.',
      lines: all.flatMap((stats) =>
        stats.byClass.map((count, index) => `{${labels(stats)},class="${index}xx"} ${count}`),
      ),
    },
    {
      name: 'sless_fn_in_flight',
      type: 'gauge',
      help: 'Calls under way.',
      lines: all.map((stats) => `{${labels(stats)}} ${stats.inFlight}`),
    },
    {
      name: 'sless_fn_bytes_total',
      type: 'counter',
      help: 'Bytes of bodies to and from functions.',
      lines: all.flatMap((stats) => [
        `{${labels(stats)},direction="in"} ${stats.bytesIn}`,
        `{${labels(stats)},direction="out"} ${stats.bytesOut}`,
      ]),
    },
    {
      name: 'sless_fn_refused_total',
      type: 'counter',
      help: "Answers that the proxy gave in a function's place, by error code.",
      lines: [...refused].map(([code, count]) => `{code="${code}"} ${count}`),
    },
  ];
  return families.map(textOf).join('') + durations(all, bounds);
}

const labels = ({ namespace, name }: FunctionStats): string => `namespace="${namespace}",function="${name}"`;

const header = ({ name, type, help }: Omit<Family, 'lines'>): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function textOf(family: Family): string {
  return header(family) + family.lines.map((line) => `${family.name}${line}\n`).join('');
}

function durations(all: readonly FunctionStats[], bounds: readonly number[]): string {
  const name = 'sless_fn_request_seconds';
  const lines = all.flatMap((stats) => {
    let sum = 0;
    const buckets = stats.buckets.map((count, index) => {
      sum += count;
      return `${name}_bucket{${labels(stats)},le="${bounds[index] ?? '+Inf'}"} ${sum}\n`;
    });
    return [
      ...buckets,
      `${name}_sum{${labels(stats)}} ${stats.durationSum}\n`,
      `${name}_count{${labels(stats)}} ${sum}\n`,
    ];
  });
  return header({ name, type: 'histogram', help: 'How long calls of functions took.' }) + lines.join('');
}
