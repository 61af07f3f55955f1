import { SlessError } from '../errors.ts';

/** Longer names are cut in messages: an error is read by a person. */
const MAX_SHOWN = 200;

/** A name from a zip as it may stand in a message: quoted, control characters escaped, cut where it is too long. */
export function showName(name: string): string {
  const cut = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, escapeUnit);
}

/** `InvalidArchive` about the zip as a whole. */
export function refuseArchive(what: string, options: ErrorOptions = {}): SlessError {
  return new SlessError('InvalidArchive', `the zip cannot be used: ${what}`, options);
}

/** `InvalidArchive` that names one entry; `what` says what is wrong with it and what would be right. */
export function refuseEntry(name: string, what: string, options: ErrorOptions = {}): SlessError {
  return new SlessError('InvalidArchive', `the zip cannot be used: entry ${showName(name)} ${what}`, options);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
