/** The messages of an error and its causes, outermost first: what the provider said is in the last. */
export function reasonOf(error: Error): string {
  const messages: string[] = []
  for (let at: unknown = error; at instanceof Error && messages.length < 5; at = at.cause)
    if (!messages.includes(at.message)) messages.push(at.message)
  return messages.join(': ')
}
