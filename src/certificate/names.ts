/**
 * The host names of the webhooks. Metacontroller makes `https://<name>.<namespace>:<port>` of a Service, without `.svc`;
 * the others are for whoever else looks.
 */
export function webhookNames(of: { readonly namespace: string; readonly service: string }): string[] {
  const short = `${of.service}.${of.namespace}`;
  return [short, `${short}.svc`, `${short}.svc.cluster.local`];
}
