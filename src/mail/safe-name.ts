const MAX_LENGTH = 60

/** Digits of a telephone number, however they are grouped. */
const MANY_DIGITS = /(?:\d[^\p{L}\d]*){7}/u
/** What makes an address or a path, with the full stops that browsers take for dots. */
const PARTS_OF_LINKS = /[:/@\\。．｡]|\.\S|\p{C}/u

/**
 * Null for a name that is too long for a sentence, or that mail programs would turn into a link or into a number to
 * call: strangers could use our mails to lead people anywhere.
 */
export function safeName(name: string): string | null {
  const isUnsafe = name.length > MAX_LENGTH || PARTS_OF_LINKS.test(name) || MANY_DIGITS.test(name)
  return isUnsafe ? null : name
}
