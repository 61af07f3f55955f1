import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { refuseArchive } from './archive-error.ts';
import { MAX_ENTRIES } from './limits.ts';
import type { ZipBytes } from './zip-bytes.ts';

/** The central directory's entries, and where it begins: no file's data may reach beyond that. */
export interface CentralDirectory {
  readonly entries: readonly Entry[];
  readonly start: number;
}

const END_RECORD = 0x06054b50;
const END_RECORD_SIZE = 22;
const ZIP64_END_RECORD = 0x06064b50;
const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffffffff;

/**
 * Reads the central directory. Too many entries are refused by the end record's count, before any is read; the
 * directory must fill exactly the bytes between its start and the end record, so that no reader finds other entries.
 *
 * @throws SlessError `InvalidArchive`
 */
export async function readCentralDirectory(bytes: ZipBytes): Promise<CentralDirectory> {
  if (bytes.size === 0) throw refuseArchive('it is empty');
  const zip = await openDirectory(bytes);
  if (zip.entryCount > MAX_ENTRIES) throw refuseArchive(tooMany(zip.entryCount));
  const start = cursorOf(zip);
  const entries = await readEntries(zip);
  checkEnd(bytes, zip, { start, end: cursorOf(zip) });
  return { entries, start };
}

function tooMany(count: number): string {
  return `it has ${count} entries and at most ${MAX_ENTRIES} are allowed; leave out what the function does not need`;
}

async function openDirectory(bytes: ZipBytes): Promise<ZipFile> {
  // Names stay raw: their encoding is decided over the whole zip. Sizes are checked against the data later.
  const options = { decodeStrings: false, validateEntrySizes: false, autoClose: false };
  try {
    return await fromRandomAccessReaderPromise(new WindowReader(bytes), bytes.size, options);
  } catch (error) {
    throw translate(error, 'its end record');
  }
}

async function readEntries(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry);
  } catch (error) {
    throw translate(error, `entry number ${entries.length + 1} of ${zip.entryCount}`);
  }
  return entries;
}

/** yauzl types its cursor as a boolean; it is the offset of the next central header. */
function cursorOf(zip: ZipFile): number {
  return Number(zip.readEntryCursor);
}

/** What the end record says must be what is there: count, size and offset, or "see zip64" where there is such a record. */
function checkEnd(bytes: ZipBytes, zip: ZipFile, range: { start: number; end: number }): void {
  const endRecord = bytes.size - END_RECORD_SIZE - zip.comment.length;
  const record = bytes.read(endRecord, END_RECORD_SIZE);
  const next = bytes.read(range.end, 4);
  const signature = next.length < 4 ? 0 : next.readUInt32LE(0);
  const isZip64 = signature === ZIP64_END_RECORD;
  if (!isZip64 && (signature !== END_RECORD || range.end !== endRecord))
    throw refuseArchive('its central directory and its end record disagree about the entries; zip it again');
  const claims = [
    { said: record.readUInt16LE(10), found: zip.entryCount, elsewhere: IN_ZIP64_16 },
    { said: record.readUInt32LE(12), found: range.end - range.start, elsewhere: IN_ZIP64_32 },
    { said: record.readUInt32LE(16), found: range.start, elsewhere: IN_ZIP64_32 },
  ];
  const lie = claims.find(({ said, found, elsewhere }) => said !== found && !(isZip64 && said === elsewhere));
  if (lie !== undefined)
    throw refuseArchive('its end record does not describe its central directory; zip it again');
}

/** yauzl's words for what users meet, in words that say what to do. */
const TRANSLATIONS: readonly (readonly [RegExp, string])[] = [
  [/signature not found|unexpected EOF/i, 'it is not a zip or it was cut off; upload the whole file'],
  [/Invalid comment length/i, 'there are bytes after its end; zip it again'],
  [
    /central directory file header signature/i,
    'its central directory is not where its end record says: bytes were put before the first entry, or it is damaged; upload a plain zip',
  ],
  [/strong encryption/i, 'an entry is encrypted; zip without a password'],
  [/multi-disk/i, 'it is one part of a split zip; zip into a single file'],
];

function translate(error: unknown, where: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  const known = TRANSLATIONS.find(([pattern]) => pattern.test(message));
  return refuseArchive(known === undefined ? `${where} is damaged; zip it again` : `${known[1]} (${where})`, {
    cause: error,
  });
}

/** Two reads a header would be two trips to the thread pool each: serve them from a window of the file instead. */
const WINDOW_BYTES = 256 * 1024;

type ReadCallback = (error: Error | null, bytesRead?: number) => void;

/** yauzl asks for its reader by inheritance. */
class WindowReader extends RandomAccessReader {
  readonly #bytes: ZipBytes;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(bytes: ZipBytes) {
    super();
    this.#bytes = bytes;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: ReadCallback,
  ): void {
    if (position < this.#start || position + length > this.#start + this.#window.length) {
      this.#window = this.#bytes.read(position, Math.max(length, WINDOW_BYTES));
      this.#start = position;
    }
    callback(
      null,
      this.#window.copy(buffer, offset, position - this.#start, position - this.#start + length),
    );
  }
}
