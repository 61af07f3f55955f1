import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about tenants' namespaces: what they receive, reach and may use. */
export const TENANT_SETTINGS = {
  systemNamespace: setting({
    name: 'SYSTEM_NAMESPACE',
    roles: ['operator', 'api', 'certificate', 'preflight'],
    default: 'sless-system',
    meaning:
      "Namespace of sless itself. Network policies let its pods into tenants' namespaces, and the Secrets of builds are copied from there.",
    parse: parse.text,
  }),
  apiServiceAccount: setting({
    name: 'API_SERVICE_ACCOUNT',
    roles: ['operator'],
    default: 'sless-api',
    meaning:
      "ServiceAccount of the api in SYSTEM_NAMESPACE. In each tenant's namespace it is bound to the ClusterRoles sless-api-in-tenants and sless-registry-secrets.",
    parse: parse.text,
  }),
  dispatcherServiceAccount: setting({
    name: 'DISPATCHER_SERVICE_ACCOUNT',
    roles: ['operator'],
    default: 'sless-dispatcher',
    meaning:
      "ServiceAccount of the dispatcher there. In each tenant's namespace it is bound to the ClusterRole sless-dispatcher-in-tenants.",
    parse: parse.text,
  }),
  tenantDns: setting({
    name: 'TENANT_DNS',
    roles: ['operator'],
    default: 'kube-system:53',
    meaning:
      "Where tenants' pods ask for names: namespaces and CIDR blocks, each maybe with a port, separated by commas. A DNS server on each node is a block, such as 169.254.20.10/32:53.",
    parse: parse.peers,
  }),
  tenantEgress: setting({
    name: 'TENANT_EGRESS',
    roles: ['operator'],
    default: 'none',
    meaning:
      "Where functions may go beside the internet and their own namespace, written the same way: a database's namespace, an Ingress inside the cluster.",
    parse: parse.peers,
  }),
  buildEgress: setting({
    name: 'BUILD_EGRESS',
    roles: ['operator'],
    default: 'none',
    meaning:
      'The same for build pods: a registry or a package mirror that is not on the internet. A REGISTRY_HOST (with BUILD_MODE=direct an S3_ENDPOINT too) that is an address or a Service of the cluster is allowed anyway.',
    parse: parse.peers,
  }),
  notInternet: setting({
    name: 'NOT_INTERNET',
    roles: ['operator'],
    // All that is private, and what clouds tell a machine of itself under other addresses: 168.63.129.16 is Azure's, 192.0.0.192 Oracle's;
    // Alibaba's 100.100.100.200 and the fd00:ec2::254 and fd20:ce::254 of AWS and Google lie in private blocks.
    default:
      '10.0.0.0/8,100.64.0.0/10,168.63.129.16/32,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,192.168.0.0/16,198.18.0.0/15,fc00::/7,fe80::/10',
    meaning:
      "CIDR blocks that tenants' pods do not reach as part of the internet: private ones, and where clouds tell a machine of itself. Whoever gives pods, Services or nodes other addresses adds them.",
    parse: parse.blocks,
  }),
  tenantQuota: setting({
    name: 'TENANT_QUOTA',
    roles: ['operator'],
    default:
      'count/jobs.batch=200,count/functions.sless.dev=200,count/triggers.sless.dev=400,count/functionjobs.sless.dev=1000,pods=500,requests.cpu=16,requests.memory=32Gi,limits.memory=64Gi',
    meaning:
      "ResourceQuota of each tenant's namespace: room for some 200 functions of the default size. `none`: no quota.",
    parse: parse.quota,
  }),
  tenantContainerMax: setting({
    name: 'TENANT_CONTAINER_MAX',
    roles: ['operator'],
    default: 'memory=8Gi',
    meaning:
      "The most that one container in a tenant's namespace may ask for, as a LimitRange. FUNCTION_REQUESTS and FUNCTION_LIMITS are its defaults. `none`: no maximum.",
    parse: parse.resourcesOrNone,
  }),
} as const;
