/**
 * A registry of images, as garbage collection needs it. A repository is an image's name without tag and digest, its host
 * first: `registry.example.org:5000/sless/team-a/hello`. Errors are SlessErrors: `Unavailable` (away, or it answers what
 * is no registry's answer), `RegistryRefused` (the login), `NotImplemented` (it does not delete).
 */
export interface ImageRegistry {
  /** The tags of a repository; none for one that does not exist. */
  tags(repository: string): Promise<readonly string[]>;
  /** The digest that a tag stands for, `sha256:…`; `undefined` when there is no such tag. */
  digest(repository: string, tag: string): Promise<string | undefined>;
  /** Takes a manifest away, with every tag that stands for it. One that is not there is fine. */
  remove(repository: string, digest: string): Promise<void>;
}
