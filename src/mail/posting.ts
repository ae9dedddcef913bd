/** Sends mails; call it after the commit. */
export type Posting = () => void

export const NOTHING_TO_POST: Posting = () => {}

/** All of these, in this order. */
export function allOf(...postings: readonly Posting[]): Posting {
  return () => {
    for (const post of postings) post()
  }
}
