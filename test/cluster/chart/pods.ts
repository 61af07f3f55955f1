import type { Kubectl } from '../kubectl.ts';

export interface PodList {
  readonly items: readonly {
    readonly metadata: {
      readonly uid: string;
      readonly deletionTimestamp?: string;
      readonly labels: Readonly<Record<string, string>>;
    };
    readonly status: { readonly containerStatuses?: readonly { readonly restartCount: number }[] };
  }[];
}

/** The pods of a tenant's functions that are to stay, each by its uid and how often it was restarted. */
export async function podsOf(admin: Kubectl, namespace: string): Promise<string[]> {
  const { items } = (await admin.get('pods', '-n', namespace, '-l', 'sless.dev/function')) as PodList;
  return (
    items
      .filter(({ metadata }) => metadata.labels['sless.dev/component'] !== 'build')
      // One that was replaced may take a while to end.
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, status }) => `${metadata.uid} ${status.containerStatuses?.[0]?.restartCount}`)
      .sort()
  );
}
