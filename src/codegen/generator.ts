/** A file that is made from the code, by its path from the root of the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** Makes files. To add one, put it into the list in `generators.ts`. */
export type Generator = () => readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>;
