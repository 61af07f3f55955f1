/** What somebody wants to do with objects of the group `sless.dev`. */
export interface AccessQuestion {
  readonly user: string;
  readonly verb: 'get' | 'list' | 'create' | 'patch' | 'delete';
  /** Plural, lower case. */
  readonly resource: 'functions' | 'triggers' | 'functionjobs';
  readonly namespace: string;
  /** One object; absent where the verb is about all of them. */
  readonly name?: string;
}

/** Asks the cluster's own authorization, which administrators write as roles and bindings. */
export interface AccessReview {
  /** Whether it is allowed. Fails with `Unavailable`, and with `Forbidden` when sless itself may not ask. */
  allows(question: AccessQuestion): Promise<boolean>;
}
