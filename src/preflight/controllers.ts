import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** Objects of one kind, as Metacontroller's rules name them. */
export interface Resource {
  readonly apiVersion: string;
  readonly resource: string;
}

/** What a CompositeController or DecoratorController reads and writes. */
export interface ControllerScope {
  readonly kind: 'CompositeController' | 'DecoratorController';
  readonly name: string;
  readonly parents: readonly Resource[];
  readonly children: readonly Resource[];
}

const resource = z.object({ apiVersion: z.string(), resource: z.string() });
const documentSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('CompositeController'),
    metadata: z.object({ name: z.string() }),
    spec: z.object({ parentResource: resource, childResources: z.array(resource).default([]) }),
  }),
  z.object({
    kind: z.literal('DecoratorController'),
    metadata: z.object({ name: z.string() }),
    spec: z.object({ resources: z.array(resource), attachments: z.array(resource).default([]) }),
  }),
]);

/** The controllers in YAML texts, such as the files of `metacontroller/`. */
export function readControllerScopes(texts: readonly string[]): ControllerScope[] {
  return texts.flatMap((text) => parseAllDocuments(text)).map((document) => scopeOf(document.toJS()));
}

function scopeOf(object: unknown): ControllerScope {
  const parsed = documentSchema.parse(object);
  const { name } = parsed.metadata;
  if (parsed.kind === 'CompositeController') {
    const { parentResource, childResources } = parsed.spec;
    return { kind: parsed.kind, name, parents: [parentResource], children: childResources };
  }
  return { kind: parsed.kind, name, parents: parsed.spec.resources, children: parsed.spec.attachments };
}
