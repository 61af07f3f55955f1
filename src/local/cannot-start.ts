/** Why local mode does not start, in words for who started it. */
export class CannotStart extends Error {}
