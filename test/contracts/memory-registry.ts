import { digestOf, type OpenRegistry } from './image-registry.ts';

/** A registry in memory, for tests of who uses the port. */
export function createMemoryRegistry(): OpenRegistry {
  const repositories = new Map<string, Map<string, string>>();
  return {
    host: 'registry.test',
    close: async () => {},
    push: async (repository, tag, content) => {
      const tags = repositories.get(repository) ?? new Map<string, string>();
      repositories.set(repository, tags.set(tag, digestOf(content)));
      return digestOf(content);
    },
    registry: {
      tags: async (repository) => [...(repositories.get(repository)?.keys() ?? [])],
      digest: async (repository, tag) => repositories.get(repository)?.get(tag),
      remove: async (repository, digest) => {
        const tags = repositories.get(repository);
        for (const [tag, of] of tags ?? []) if (of === digest) tags?.delete(tag);
      },
    },
  };
}
