import fc from 'fast-check';
import type { Kind } from '../../../src/resources/kube/kinds.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Which version of the object a writer says it has seen. */
export type Version = 'current' | 'stale';

/** One request about one object of one kind, the same for both clusters. */
export type Step =
  | { readonly do: 'create'; readonly name: string; readonly body: Json }
  | { readonly do: 'apply'; readonly name: string; readonly manager: string; readonly body: Json }
  | {
      readonly do: 'patch';
      readonly name: string;
      readonly body: Json;
      readonly version?: Version | undefined;
    }
  | {
      readonly do: 'patchStatus';
      readonly name: string;
      readonly body: Json;
      readonly version?: Version | undefined;
    }
  | {
      readonly do: 'replaceStatus';
      readonly name: string;
      readonly body: Json;
      readonly version?: Version | undefined;
    }
  | { readonly do: 'delete'; readonly name: string; readonly uid?: Version | undefined };

/** What can be done with objects of one kind. All bodies come without `apiVersion`, `kind` and name. */
export interface Subject {
  readonly kind: Kind;
  /** Whole objects, good ones for the most part. */
  readonly whole: fc.Arbitrary<Json>;
  /** What a second applier says of an object: some of it, maybe not enough to make one. */
  readonly partial: fc.Arbitrary<Json>;
  /** JSON merge patches. */
  readonly patch: fc.Arbitrary<Json>;
  /** Statuses, where the kind has one that nobody else writes. */
  readonly status?: fc.Arbitrary<Json>;
}

const NAMES = ['a', 'b'] as const;
const name = fc.constantFrom(...NAMES);
const version = fc.option(fc.constantFrom<Version>('current', 'stale'), { nil: undefined, freq: 2 });

/** Sequences of requests, about two objects in turn. */
export function steps(subject: Subject): fc.Arbitrary<Step[]> {
  const { whole, partial, patch, status } = subject;
  const create = fc.record({ do: fc.constant('create' as const), name, body: whole });
  const apply = (manager: string, body: fc.Arbitrary<Json>) =>
    fc.record({ do: fc.constant('apply' as const), name, manager: fc.constant(manager), body });
  const versioned = <Do extends string>(what: Do, body: fc.Arbitrary<Json>) =>
    fc.record({ do: fc.constant(what), name, body, version });
  const remove = fc.record({ do: fc.constant('delete' as const), name, uid: version });
  const statuses =
    status === undefined
      ? []
      : [
          { weight: 2, arbitrary: versioned('replaceStatus', status) },
          {
            weight: 1,
            arbitrary: versioned(
              'patchStatus',
              status.map((body) => ({ status: body })),
            ),
          },
        ];
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 2, arbitrary: create },
    { weight: 5, arbitrary: apply('one', whole) },
    { weight: 3, arbitrary: apply('two', partial) },
    { weight: 5, arbitrary: versioned('patch', patch) },
    { weight: 1, arbitrary: remove },
    ...statuses,
  );
  return fc.array(step, { minLength: 2, maxLength: 14 });
}
