import { describe, expect, test } from 'vitest';
import { find, hasHelm, type Rendered, render } from './helm.ts';

describe.skipIf(!hasHelm())('the network policies of the chart', () => {
  test('only Metacontroller and the preflight reach the webhooks, only tenants the internal routes', () => {
    const objects = render('least');
    const [webhooks] = find(objects, 'NetworkPolicy', 'sless-operator').spec.ingress;
    expect(webhooks).toEqual({
      from: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'metacontroller' } } },
        { podSelector: { matchLabels: { 'app.kubernetes.io/component': 'preflight' } } },
      ],
      ports: [{ port: 8443 }],
    });
    const { ingress } = find(objects, 'NetworkPolicy', 'sless-api').spec;
    expect(ingress[1]).toEqual({
      from: [{ namespaceSelector: { matchLabels: { 'sless.dev/tenant': 'true' } } }],
      ports: [{ port: 8082 }],
    });
    expect(find(objects, 'NetworkPolicy', 'sless-operator').spec.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  test('whom a role needs beside that is said by the values; api and dispatcher are held to it once it is said', () => {
    const to = (block: string, port: number) => ({ to: [{ ipBlock: { cidr: block } }], ports: [{ port }] });
    const database = to('10.2.0.9/32', 5432);
    const egress = (objects: readonly Rendered[], role: string) =>
      find(objects, 'NetworkPolicy', `sless-${role}`).spec;
    const bare = render('least', '--set', 'dispatcher.enabled=true');
    const three = egress(bare, 'proxy').egress ?? [];
    expect(three).toHaveLength(3);
    for (const role of ['api', 'dispatcher']) {
      expect(egress(bare, role).policyTypes).toEqual(['Ingress']);
      expect(egress(bare, role).egress).toBeUndefined();
    }
    const rules = { proxy: [database], api: [database], dispatcher: [database, to('10.2.0.7/32', 5671)] };
    const set = JSON.stringify(rules);
    const held = render(
      'least',
      '--set',
      'dispatcher.enabled=true',
      '--set-json',
      `networkPolicy.egress=${set}`,
    );
    expect(egress(held, 'proxy').egress).toEqual([...three, database]);
    expect(egress(held, 'api').policyTypes).toEqual(['Ingress', 'Egress']);
    // The console calls functions by the proxy.
    const labels = { 'app.kubernetes.io/component': 'proxy', 'app.kubernetes.io/name': 'sless' };
    const proxy = expect.objectContaining({ to: [{ podSelector: { matchLabels: labels } }] });
    expect(egress(held, 'api').egress).toEqual([...three.slice(1), proxy, database]);
    expect(egress(held, 'dispatcher').egress).toEqual([...three, ...rules.dispatcher]);
    expect(egress(held, 'operator').egress).toBeUndefined();
  });

  test('the API server is reached by its ports, and by its addresses alone once they are said', () => {
    const ofProxy = (...more: readonly string[]) =>
      find(render('least', ...more), 'NetworkPolicy', 'sless-proxy').spec.egress ?? [];
    const ports = [{ port: 443 }, { port: 6443 }];
    expect(ofProxy()).toContainEqual({ ports });
    const cidrs = ['10.96.0.1/32', 'fd00::1/128'];
    const rules = ofProxy('--set-json', `networkPolicy.apiServerCidrs=${JSON.stringify(cidrs)}`);
    expect(rules).not.toContainEqual({ ports });
    expect(rules).toContainEqual({ to: cidrs.map((cidr) => ({ ipBlock: { cidr } })), ports });
  });
});
