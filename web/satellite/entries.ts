/**
 * Data entered on this demo satellite; a real one sends it to a backend that verifies the token
 * (@mainstay-auth/verify).
 */
export interface Entry {
  readonly what: string
  readonly amount: number
}

/** Whoever logs in next in this tab must not see them. */
const keyOf = (userId: string) => `demo.entries ${userId}`

/** The user's; none where the browser stores nothing. */
export function readEntries(userId: string): Entry[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(userId)) ?? '[]')
  } catch {
    return []
  }
}

/** Throws a DOMException where the browser stores nothing. */
export function addEntry(userId: string, entry: Entry): void {
  sessionStorage.setItem(keyOf(userId), JSON.stringify([...readEntries(userId), entry]))
}
