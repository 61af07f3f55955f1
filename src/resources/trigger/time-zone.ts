/** What Kubernetes lets through as the name of a zone (`validateTimeZone` of batch/v1), for CEL and for here. */
export const TIME_ZONE_PATTERN = '^[A-Za-z0-9._+-]{1,14}(/[A-Za-z0-9._+-]{1,14})*$';

const PATTERN = new RegExp(TIME_ZONE_PATTERN);

/** A zone that asks for the cluster's own clock, which the CronJob controller refuses. */
const isLocal = (name: string): boolean => name.toLowerCase() === 'local';

/** Names that the database of this process has from elsewhere, and that the IANA database (and so Kubernetes) lacks: PST, and what was Java's. */
const NOT_IANA =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i;

/** An installation knows a few zones, and each sync meets them again; building a formatter takes a fraction of a millisecond. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, boolean>();

/**
 * Whether the IANA database knows a zone of exactly this name. Go, which Kubernetes is written in, tells upper case from lower; the
 * database of this process does not, but answers in the right case.
 */
export function isTimeZone(name: string): boolean {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const answer = PATTERN.test(name) && !isLocal(name) && !NOT_IANA.test(name) && hasRightCase(name);
  remembered.set(name, answer);
  return answer;
}

function hasRightCase(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // A name of before, such as Asia/Calcutta, may be answered by its successor.
    return timeZone.toLowerCase() !== name.toLowerCase() || timeZone === name;
  } catch {
    return false;
  }
}
