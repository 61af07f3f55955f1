import { SlessError } from '../../../errors.ts';

/** The only coding of request bodies that is taken, as `Accept-Encoding` of an answer says it (RFC 9110 §12.5.3). */
export const ACCEPTED_CODING = 'identity';

/**
 * Refuses a body that is compressed: read as it is, it would be a mistake in the JSON or in the form.
 *
 * @throws SlessError `UnsupportedMediaType`
 */
export function requirePlain(contentEncoding: string | undefined): void {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === ACCEPTED_CODING) return;
  throw new SlessError(
    'UnsupportedMediaType',
    'the body has a Content-Encoding: send it as it is, without Content-Encoding',
  );
}
