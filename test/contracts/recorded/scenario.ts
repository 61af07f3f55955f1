/** One request of a scenario, as the cluster port knows it. `apply` is with force. */
export interface Step {
  readonly do: 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete';
  /** Who applies, where it is not `metacontroller`. */
  readonly manager?: string;
  /** The object, or the merge patch; for `delete` nothing. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Requests about one object of one kind, one after the other. */
export interface Scenario {
  readonly name: string;
  readonly kind: string;
  readonly object: string;
  readonly steps: readonly Step[];
}
