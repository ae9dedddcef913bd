/** What a command reads from and writes to, so that it runs the same in a terminal and inside another program. */
export interface CommandContext {
  /** The settings, over those of `config/<NODE_ENV>.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard input of the program, or what stands for it. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a line of the answer. */
  readonly print: (line: string) => void
  /** Writes a line beside the answer: progress, and why the command failed. */
  readonly printError: (line: string) => void
}
