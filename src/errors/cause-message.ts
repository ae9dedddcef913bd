/** What the driver said, where an error of ours has it as its cause: that is for the log, not for clients. */
export function causeMessage(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message : message
}
