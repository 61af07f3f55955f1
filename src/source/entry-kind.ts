import type { Entry } from 'yauzl';

/** What an entry is, or why it cannot be used, in words that follow its name. */
export type EntryKind = { readonly type: 'file' | 'folder'; readonly executable: boolean } | string;

const S_IFMT = 0xf000;
const S_IFREG = 0x8000;
const S_IFDIR = 0x4000;
const SPECIAL: Readonly<Record<number, string>> = {
  40960: 'a symbolic link',
  4096: 'a named pipe',
  8192: 'a character device',
  24576: 'a block device',
  49152: 'a socket',
};
const EXECUTABLE = 0o111;

const ENCRYPTED = 0x0001;
const PATCH_DATA = 0x0020;
const MASKED_HEADERS = 0x2000;
const STORED = 0;
const DEFLATED = 8;
const METHODS: Readonly<Record<number, string>> = {
  1: 'Shrink',
  6: 'Implode',
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
  98: 'PPMd',
  99: 'AES encryption',
};

/** Whether the entry's data is kept as it is, without compression. */
export function isStored(entry: Entry): boolean {
  return entry.compressionMethod === STORED;
}

/**
 * Judges flags, method and file type. The upper half of the external attributes is a Unix mode; writers on Windows
 * leave it 0, which is a plain readable file. Only "may be run" is kept of it.
 */
export function entryKind(entry: Entry, hasFolderName: boolean): EntryKind {
  const reason = refusal(entry);
  if (reason !== undefined) return reason;
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & S_IFMT;
  if (type !== 0 && type !== S_IFREG && type !== S_IFDIR)
    return `is ${SPECIAL[type] ?? 'a special file'}; only files and folders can be uploaded`;
  // Some readers go by the name and find an empty file, others by the mode and find a folder.
  if (type === S_IFDIR && !hasFolderName)
    return 'is a folder by its mode and a file by its name; zip it again';
  if (hasFolderName && entry.uncompressedSize !== 0) return 'is a folder that has content; zip it again';
  return {
    type: hasFolderName ? 'folder' : 'file',
    executable: !hasFolderName && (mode & EXECUTABLE) !== 0,
  };
}

function refusal({
  generalPurposeBitFlag: flags,
  compressionMethod: method,
  ...entry
}: Entry): string | undefined {
  if ((flags & (ENCRYPTED | MASKED_HEADERS)) !== 0 || method === 99)
    return 'is encrypted; zip without a password and pass secrets through Secrets';
  if ((flags & PATCH_DATA) !== 0) return 'holds patch data; zip whole files';
  if (method !== STORED && method !== DEFLATED)
    return `is compressed with ${METHODS[method] ?? `method ${method}`}; use Deflate (the default of zip) or no compression`;
  if (method === STORED && entry.compressedSize !== entry.uncompressedSize)
    return `is stored without compression with ${entry.compressedSize} bytes but declares ${entry.uncompressedSize}; zip it again`;
  return undefined;
}
