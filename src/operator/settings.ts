import type { FunctionSettings } from '../resources/function/settings.ts';
import type { TenantSettings } from '../resources/tenant/settings.ts';
import type { TriggerSettings } from '../resources/trigger/sync.ts';

/** What the hooks know of the installation. Read once at start, and the same for every call. */
export interface HookSettings {
  readonly functions: FunctionSettings;
  readonly triggers: TriggerSettings;
  readonly tenants: TenantSettings;
}
