/**
 * Data entered on this demo satellite; a real one sends it to a backend that verifies the token
 * (@mainstay-auth/verify).
 */
export interface Entry {
  readonly what: string
  readonly amount: number
}

const KEY = 'demo.entries'

export function readEntries(): Entry[] {
  return JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
}

export function addEntry(entry: Entry): void {
  sessionStorage.setItem(KEY, JSON.stringify([...readEntries(), entry]))
}
