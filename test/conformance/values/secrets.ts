/** Every secret that came up in the run: nothing of it may stand in an answer, a log line or the audit log. */
export class Secrets {
  private readonly known = new Set<string>()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) if (secret) this.known.add(secret)
  }

  /** What of it the text holds. */
  foundIn(text: string): string[] {
    return [...this.known].filter(secret => text.includes(secret))
  }

  get size(): number {
    return this.known.size
  }
}
