import { TIME_ZONE_NAMES } from './time-zone-names.ts';

/** What Kubernetes lets through as the name of a zone (`validateTimeZone` of batch/v1), for CEL and for here. */
export const TIME_ZONE_PATTERN = '^[A-Za-z0-9._+-]{1,14}(/[A-Za-z0-9._+-]{1,14})*$';

const PATTERN = new RegExp(TIME_ZONE_PATTERN);

/**
 * Names that a server takes from the files on its disk and that are no zones of the IANA database: of a machine, of a system that counts leap
 * seconds, of nowhere, and one that was withdrawn.
 */
export const NO_ZONE_PATTERN = '^(Factory|posixrules|localtime|US/Pacific-New|(right|posix)/.*)$';

/** A zone that asks for the cluster's own clock, which the CronJob controller refuses. */
const isLocal = (name: string): boolean => name.toLowerCase() === 'local';

/** Names that the database of this process has from elsewhere, and that the IANA database (and so Kubernetes) lacks: PST, and what was Java's. */
const NOT_IANA =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i;

/** An installation knows a few zones, and each sync meets them again; building a formatter takes a fraction of a millisecond. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, boolean>();

/**
 * Whether Kubernetes takes a zone of exactly this name, and this process can reckon with it. Go, which Kubernetes is written in, tells upper case
 * from lower; the database of this process does not, but answers in the right case: so a name that is younger than our list counts too.
 */
export function isTimeZone(name: string): boolean {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const answer = PATTERN.test(name) && !isLocal(name) && !NOT_IANA.test(name) && isKnownHere(name);
  remembered.set(name, answer);
  return answer;
}

function isKnownHere(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // A name of before, such as Asia/Calcutta, is answered by its successor, and so is one in the wrong case.
    return timeZone === name || TIME_ZONE_NAMES.has(name);
  } catch {
    return false;
  }
}
