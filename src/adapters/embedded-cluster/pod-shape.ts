import { atomic, atomicMap, fields, listBy, map, metadata, protocol, type Shape } from './shape.ts';

const keyRef = fields({
  secretKeyRef: atomic,
  configMapKeyRef: atomic,
  fieldRef: atomic,
  fileKeyRef: atomic,
  resourceFieldRef: atomic,
});

/** Requests and limits. */
export const amounts = fields({ limits: map, requests: map, claims: listBy(['name']) });

const container = fields({
  env: listBy(['name'], fields({ valueFrom: keyRef })),
  ports: listBy(['containerPort', protocol]),
  resources: amounts,
  volumeMounts: listBy(['mountPath']),
  volumeDevices: listBy(['devicePath']),
});
const containers = listBy(['name'], container);

const withSecret = fields({ secretRef: atomic });
const volumeClaim = fields({
  metadata,
  spec: fields({ dataSource: atomic, resources: fields({ limits: map, requests: map }), selector: atomic }),
});
const volume = fields({
  ...Object.fromEntries(
    ['cephfs', 'cinder', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map((of) => [of, withSecret]),
  ),
  csi: fields({ nodePublishSecretRef: atomic, volumeAttributes: map }),
  ephemeral: fields({ volumeClaimTemplate: volumeClaim }),
  flexVolume: fields({ options: map, secretRef: atomic }),
});

/** The spec of a pod. */
export const podSpec: Shape = fields({
  containers,
  initContainers: containers,
  ephemeralContainers: containers,
  volumes: listBy(['name'], volume),
  affinity: fields({
    nodeAffinity: fields({ requiredDuringSchedulingIgnoredDuringExecution: atomic }),
  }),
  imagePullSecrets: listBy(['name'], atomic),
  hostAliases: listBy(['ip']),
  nodeSelector: atomicMap,
  overhead: map,
  resourceClaims: listBy(['name']),
  resources: amounts,
  schedulingGates: listBy(['name']),
  topologySpreadConstraints: listBy(['topologyKey', 'whenUnsatisfiable'], fields({ labelSelector: atomic })),
});
