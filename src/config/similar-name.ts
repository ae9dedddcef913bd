/** In a shorter name, one slip already makes another word of it: HOST, POST. */
const MIN_LENGTH = 8

/** The one of `names` from which a mistyped `name` differs by one slip of the finger; null when there is none. */
export function similarName(name: string, names: readonly string[]): string | null {
  return name.length < MIN_LENGTH ? null : (names.find(each => isOneSlip(name, each)) ?? null)
}

/** A letter that is missing, added, wrong, or swapped with its neighbour. */
function isOneSlip(one: string, other: string): boolean {
  const start = sharedLength(one, other)
  const end = sharedLength(reversed(one.slice(start)), reversed(other.slice(start)))
  const [inOne, inOther] = [one, other].map(text => text.slice(start, text.length - end)) as [string, string]
  if (inOne.length <= 1 && inOther.length <= 1) return true
  return inOne.length === 2 && inOne === reversed(inOther)
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}
