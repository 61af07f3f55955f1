import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table by which an installation finds its own parts; the chart sets all of it. */
export const INSTALLATION_SETTINGS = {
  operatorService: setting({
    name: 'OPERATOR_SERVICE',
    roles: ['certificate', 'preflight'],
    default: 'sless-operator',
    meaning: 'Service of the webhooks in SYSTEM_NAMESPACE.',
    parse: parse.text,
  }),
  certificateSecret: setting({
    name: 'CERTIFICATE_SECRET',
    roles: ['certificate', 'preflight'],
    default: 'sless-operator-tls',
    meaning: "Secret of the webhooks' certificate: tls.crt, tls.key and ca.crt.",
    parse: parse.text,
  }),
  certificateOwner: setting({
    name: 'CERTIFICATE_OWNER',
    roles: ['certificate', 'preflight'],
    default: 'sless-certificate',
    meaning: 'ServiceAccount that owns that Secret, so that both go together.',
    parse: parse.text,
  }),
  certificateIssue: setting({
    name: 'CERTIFICATE_ISSUE',
    roles: ['certificate'],
    default: 'true',
    meaning:
      'Whether the certificate is made by sless itself. With false somebody else fills the Secret, such as cert-manager, and only its authority is carried to Metacontroller.',
    parse: parse.flag,
  }),
  metacontroller: setting({
    name: 'METACONTROLLER_SERVICE_ACCOUNT',
    roles: ['preflight'],
    default: 'metacontroller/metacontroller',
    meaning: 'Namespace and ServiceAccount of Metacontroller, whose rights are looked at.',
    parse: parse.namespacedName,
  }),
} as const;
