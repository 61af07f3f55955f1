import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { applyingContract } from './cluster/applying.ts';
import { collectingContract } from './cluster/collecting.ts';
import { historiesContract } from './cluster/histories.ts';
import { listingContract } from './cluster/listing.ts';
import { statusContract } from './cluster/status.ts';
import { type ClusterSubject, makeNamespace, type OpenCluster, type Scene } from './cluster/subject.ts';
import { watchingContract } from './cluster/watching.ts';
import { writingContract } from './cluster/writing.ts';

/**
 * What every adapter of the cluster port must do. A cluster of one's own must serve the kinds of sless (their CRDs) and
 * let the adapter do everything with them, with ConfigMaps, Services and namespaces; each test makes a namespace.
 */
export function clusterContract(name: string, { open, collects, runs }: ClusterSubject): void {
  describe(`cluster: ${name}`, () => {
    let opened: OpenCluster;
    let current: Scene;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      const { cluster, interruptWatches } = opened;
      const namespace = await makeNamespace(cluster);
      current = { cluster, namespace, ...(interruptWatches ? { interruptWatches } : {}) };
    });
    const scene = () => current;
    describe('writing', () => writingContract(scene));
    describe('status', () => statusContract(scene));
    describe('listing', () => listingContract(scene));
    describe('watching', () => watchingContract(scene));
    describe('applying', () => applyingContract(scene));
    describe.skipIf(!collects)('collecting', () => collectingContract(scene));
    describe('histories', () => historiesContract(scene, runs));
  });
}
