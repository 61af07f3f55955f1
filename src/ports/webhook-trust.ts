/** The Secret with the operator's certificate, as it is mounted: PEM texts, each absent where the Secret lacks it. */
export interface CertificateSecret {
  readonly certificate?: string;
  readonly key?: string;
  /** Whom Metacontroller must trust: one authority, or two while one follows the other. */
  readonly authorities?: string;
  /**
   * With what it goes: `ours`, with this installation; `gone`, with one that is not there any more, so that it may vanish at any moment;
   * `none`, by itself.
   */
  readonly owner: 'ours' | 'gone' | 'none';
  /** Another one after each change. */
  readonly version: string;
}

/** What a Secret of the certificate is filled with. */
export type CertificateTexts = Required<Omit<CertificateSecret, 'owner' | 'version'>>;

/** One of our controllers of Metacontroller. */
export interface WebhookController {
  readonly kind: 'CompositeController' | 'DecoratorController';
  readonly name: string;
  /** Its hooks, and whom each one trusts; nothing where the machine's own authorities count. */
  readonly hooks: Readonly<Record<string, string | undefined>>;
}

/** What the certificate of the webhooks needs of a cluster. Errors are those of the `Cluster` port. */
export interface WebhookTrust {
  /** `undefined` when it is not there. */
  secret(): Promise<CertificateSecret | undefined>;
  /** False when there is one already, which then stays. */
  createSecret(texts: CertificateTexts): Promise<boolean>;
  /** Replaces what the Secret of this version holds. False when it is another by now or gone: then nothing has happened. */
  replaceSecret(version: string, texts: CertificateTexts): Promise<boolean>;
  /** Makes the Secret go with the installation; nothing happens while there is no installation yet. */
  ownSecret(): Promise<void>;
  /** Those whose hooks are our operator's. Empty where Metacontroller's kinds are not served. */
  controllers(): Promise<readonly WebhookController[]>;
  /** Makes all hooks of a controller trust these authorities. */
  trust(controller: WebhookController, authorities: string): Promise<void>;
}
