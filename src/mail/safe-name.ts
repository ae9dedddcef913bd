const MAX_LENGTH = 60

/**
 * Null for a name that is too long for a sentence, or that mail programs would turn into a link: strangers
 * could use our mails to lead people anywhere.
 */
export function safeName(name: string): string | null {
  return name.length > MAX_LENGTH || /[:/@\\]|\.\S|\p{C}/u.test(name) ? null : name
}
