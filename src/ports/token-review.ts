/** Who a token of the cluster speaks for. */
export interface ReviewedToken {
  /** The user's name as Kubernetes writes it, such as `system:serviceaccount:<namespace>:<name>`. */
  readonly username: string;
  /** The uid of the pod that it was made for, where it was made for one. */
  readonly podUid?: string;
}

/** Asks the cluster about tokens that it has issued. */
export interface TokenReview {
  /**
   * Whose token it is, or `undefined` for one that is not good now, or not for this audience. Fails with `Unavailable`,
   * and with `Forbidden` when sless itself may not ask.
   */
  review(token: string, audience: string): Promise<ReviewedToken | undefined>;
}
