/** One or two letters from a name or an e-mail address: “Rosa Luna” is RL, “rosa@example.com” is R. */
export function initialsOf(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter(Boolean)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words
  return letters.map(word => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('')
}
