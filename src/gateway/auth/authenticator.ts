/** Who a token speaks for. */
export interface Identity {
  /** The token's `sub`: a well-formed, non-empty text of at most `MAX_SUBJECT_BYTES`. */
  readonly subject: string;
  /** The one namespace that is the subject's own. */
  readonly namespace: string;
}

/**
 * Tells who a bearer token speaks for. Fails with `Unauthenticated` (the message says what is wrong with the token,
 * without repeating it) or `Unavailable` (whoever could tell cannot be reached).
 */
export interface Authenticator {
  authenticate(token: string): Promise<Identity>;
}
