import { distance } from 'fastest-levenshtein'

/** In a shorter name, one slip already makes another word of it: HOST, POST. */
const MIN_LENGTH = 8

/** The one of `names` from which a mistyped `name` differs by one slip of the finger; null when there is none. */
export function similarName(name: string, names: readonly string[]): string | null {
  return name.length < MIN_LENGTH ? null : (names.find(each => isOneSlip(name, each)) ?? null)
}

/** A letter that is missing, added, wrong, or swapped with another. */
function isOneSlip(one: string, other: string): boolean {
  const steps = distance(one, other)
  return steps <= 1 || (steps === 2 && lettersOf(one) === lettersOf(other))
}

function lettersOf(text: string): string {
  return [...text].sort().join('')
}
