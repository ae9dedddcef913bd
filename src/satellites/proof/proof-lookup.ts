import { type Fault, type FieldError, faultOf } from '../../platform/errors/field-faults.js'

/** What was looked up for a proof, and what came back, for people who are waiting for a record to appear. */
export interface ProofLookup {
  /** Such as `TXT _mainstay-challenge.shop.example.com`. */
  readonly question: string
  /** The texts that came back, shortened; empty when there was none. */
  readonly texts: readonly string[]
  /** Why there is none; null when there are texts. */
  readonly fault: Fault | null
  /** Whether nobody answered, so that it says nothing about the proof. */
  readonly isOutage: boolean
}

/** Enough to recognise a text, too little to read a document. */
const MAX_TEXT_LENGTH = 100
const MAX_TEXTS = 5

/** What came back instead of the proof: `TXT …: the name has no TXT record`. */
export function lookupFault({ question, texts, fault }: ProofLookup): FieldError {
  const { code, values, message } = fault ?? faultOf('PROOF_OTHER_TEXTS', { texts: shown(texts) })
  return { field: 'proof', code, values: { ...values, question }, message: `${question}: ${message}` }
}

/** Somebody else's server wrote the texts, so they are shortened and made printable. */
function shown(texts: readonly string[]): string {
  const first = texts.slice(0, MAX_TEXTS).map(text => JSON.stringify(text.slice(0, MAX_TEXT_LENGTH)))
  return [...first, ...(texts.length > MAX_TEXTS ? ['…'] : [])].join(', ')
}
