import { settingsTable } from '../config/table.ts';
import type { GeneratedFile } from './generator.ts';

/** `docs/settings.md`. */
export function settingsFile(): readonly GeneratedFile[] {
  return [{ path: 'docs/settings.md', content: settingsTable() }];
}
