/** A shorter part of a name or address occurs in too many good passwords. */
const MIN_LENGTH = 4
/** More words than any name and address have; each costs time. */
const MAX_WORDS = 50

/**
 * The words in names, addresses and hosts, and each of these run together: the first guesses of somebody who
 * knows them.
 */
export function contextWords(texts: readonly string[]): string[] {
  const parts = texts.flatMap(text =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .split(/[\s@]+/),
  )
  const words = parts.flatMap(part => {
    const pieces = part.split(/[^\p{L}\p{M}\p{N}]+/u)
    return [pieces.join(''), ...pieces]
  })
  return [...new Set(words)].filter(word => [...word].length >= MIN_LENGTH).slice(0, MAX_WORDS)
}

/** What is left of a text, in lower case, without these words; the longest are removed first. */
export function withoutWords(text: string, words: readonly string[]): string {
  const longestFirst = [...words].sort((one, other) => other.length - one.length)
  return longestFirst.reduce((rest, word) => rest.replaceAll(word, ''), text.toLowerCase())
}
