/** More entries than this are refused by the end record's count alone. A `node_modules` of a function has some thousands. */
export const MAX_ENTRIES = 10_000;

/** Bytes of all files together once unpacked: what a node can hold of many functions at once, and a second of inflating. */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** NAME_MAX of every Linux file system that an image may lie on. */
export const MAX_SEGMENT_BYTES = 255;

/** A quarter of PATH_MAX (4,096): room for `/app/function/` and for where a builder unpacks the context. */
export const MAX_PATH_BYTES = 1024;

/**
 * The modification time of everything that is written, 1980-01-01T00:00:00Z in seconds: the same tree makes the same
 * image whenever it was zipped, and pip can still put the files into a wheel, whose zip knows no earlier year.
 */
export const FIXED_MTIME_SECONDS = 315_532_800;
