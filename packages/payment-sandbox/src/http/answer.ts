/** The status and the JSON body of an API answer. */
export interface Answer {
  status: number
  body: object
}

/** The first answer to an idempotency key, with a hash of its request and the time in seconds since 1970. */
export interface SavedAnswer extends Answer {
  requestHash: string
  savedAt: number
  requestId: string
}
