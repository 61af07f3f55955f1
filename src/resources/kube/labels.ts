/** Labels and annotations that sless gives a meaning to. Users may write most of them, so each reader checks what it reads. */
export const LABELS = Object.freeze({
  /** On a Namespace: `true` means that sless acts on the objects in it. */
  tenant: 'sless.dev/tenant',
  /** On a Trigger and on every child: the name of the Function that it belongs to. */
  function: 'sless.dev/function',
  /** On a child: `server`, `build`, `job`, `cron` or `consumer`. */
  component: 'sless.dev/component',
  /** On a consumer ConfigMap: `true` is what the dispatcher watches for. */
  consumer: 'sless.dev/consumer',
  /** On a child of a Trigger and on its pods: the Trigger's name. */
  trigger: 'sless.dev/trigger',
  /** On a child of a FunctionJob and on its pods: the FunctionJob's name. */
  functionJob: 'sless.dev/function-job',
  app: 'app',
  /** On build Jobs and their pods, beside `app=sless-builder`. */
  builderFunctionName: 'function-name',
  builderFunctionNamespace: 'function-ns',
  managedBy: 'app.kubernetes.io/managed-by',
  /** On a Namespace: the Pod Security level that pods in it must keep. */
  podSecurity: 'pod-security.kubernetes.io/enforce',
});

export const ANNOTATIONS = Object.freeze({
  /** On a Function: `<s3Key>=append|dockerfile`, what the upload chose for that very key. */
  buildPlan: 'sless.dev/build-plan',
  /** On a Function: `<s3Key>=<sha256 hex>`, the code hash of that very key. */
  codeHash: 'sless.dev/code-hash',
  /** On a Function: another value builds the same key again. */
  rebuild: 'sless.dev/rebuild',
  /** On a Function and its pod template: another value restarts the pods. */
  restart: 'sless.dev/restart',
  /** On a Function: the replicas to come back to, set by stop, removed by start. */
  stoppedReplicas: 'sless.dev/stopped-replicas',
  /** On a Trigger: `true` when stop disabled it, so that start enables only those. */
  stopped: 'sless.dev/stopped',
  /** On a Deployment: what status holds too and may lose. */
  image: 'sless.dev/image',
  builtKey: 'sless.dev/built-key',
  builtRebuild: 'sless.dev/built-rebuild',
  builtAt: 'sless.dev/built-at',
  runtimeImage: 'sless.dev/runtime-image',
  /** On a Deployment: which variables and amounts of its container are ours, see `function/owned.ts`. */
  owned: 'sless.dev/owned',
  /** On a build Job, beside the three above: how it is built and from what. */
  strategy: 'sless.dev/build-strategy',
  /** On a Job or a Deployment: the reporter's findings as JSON, see `report.ts`. */
  report: 'sless.dev/report',
  /** On a child of a FunctionJob: the run that it belongs to. */
  runID: 'sless.dev/run-id',
  /** On a FunctionJob: the highest run that is over, as `<namespace>/<name>=<runID>`, and how it ended. What status holds too and may lose. */
  finishedRun: 'sless.dev/finished-run',
  finishedPhase: 'sless.dev/finished-phase',
  /** On a consumer ConfigMap: the dispatcher's word as JSON, see `trigger/consumer.ts`. */
  consumerState: 'sless.dev/consumer-state',
});
