/** A shorter piece of a name or an address is in too many good passwords to mean anything. */
const MIN_LENGTH = 4
/** More than anybody's name and address have; every word costs time. */
const MAX_WORDS = 50

/** The words in names, addresses and hosts, and each of these run together: what somebody who knows them tries first. */
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

/** What is left of a text, in lower case, without these words; the longest go first. */
export function withoutWords(text: string, words: readonly string[]): string {
  const longestFirst = [...words].sort((one, other) => other.length - one.length)
  return longestFirst.reduce((rest, word) => rest.replaceAll(word, ''), text.toLowerCase())
}
