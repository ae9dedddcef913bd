// For the server and the pages (web/): no imports.

const PRODUCT_NAME = 'mainstay'
/** Shorter parts of names and addresses occur in too many good passwords. */
const MIN_WORD_LENGTH = 4
/** More words than any name and address have; each costs time. */
const MAX_WORDS = 50

/**
 * The words in what is known about a person, in the host of the main site and in the name of this product, and the
 * words of each run together: what an attacker who knows them would guess first.
 */
export function knownWords(host: string, known: readonly string[]): string[] {
  const parts = [PRODUCT_NAME, host, ...known].flatMap(text => folded(text).split(/[\s@]+/))
  const words = parts.flatMap(part => {
    const pieces = part.split(/[^\p{L}\p{M}\p{N}]+/u)
    return [pieces.join(''), ...pieces]
  })
  return [...new Set(words)].filter(word => [...word].length >= MIN_WORD_LENGTH).slice(0, MAX_WORDS)
}

/**
 * What remains of a password, in lower case, without what is known about a person and the {@link knownWords}; the
 * longest are removed first.
 */
export function withoutKnown(password: string, known: readonly string[], words: readonly string[]): string {
  const longestFirst = [...known.map(folded), ...words].sort((one, other) => other.length - one.length)
  return longestFirst.reduce((rest, word) => rest.replaceAll(word, ''), password.toLowerCase())
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
