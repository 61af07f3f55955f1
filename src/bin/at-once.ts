import { InvalidArgumentError } from 'commander';

/**
 * A number of builds at once that is no slip of a key.
 *
 * @throws InvalidArgumentError which commander answers as a command that cannot be understood
 */
export function atOnce(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 100)
    throw new InvalidArgumentError('It must be a whole number from 1 to 100.');
  return number;
}
