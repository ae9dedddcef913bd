/** What was looked up for a proof, and what came back: people who wait for a record want to know. */
export interface ProofLookup {
  /** Such as `TXT _mainstay-challenge.shop.example.com`. */
  readonly question: string
  /** The texts that came back, shortened; empty when there was none. */
  readonly texts: readonly string[]
  /** Why there is none, in words; null when there are texts. */
  readonly fault: string | null
  /** Whether nobody answered, so that it says nothing about the proof. */
  readonly isOutage: boolean
}

/** Enough to recognise a text, too little to read a document with. */
const MAX_TEXT_LENGTH = 100
const MAX_TEXTS = 5

/** What came back as a sentence. Somebody else's server wrote the texts, so they are short and printable. */
export function lookupInWords({ question, texts, fault }: ProofLookup): string {
  if (fault) return `${question}: ${fault}`
  const shown = texts.slice(0, MAX_TEXTS).map(text => JSON.stringify(text.slice(0, MAX_TEXT_LENGTH)))
  const more = texts.length > MAX_TEXTS ? ` and ${texts.length - MAX_TEXTS} more` : ''
  return `${question}: found ${shown.join(', ')}${more}, not the token`
}
