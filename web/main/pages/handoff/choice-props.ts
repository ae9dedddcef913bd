import type { HandOffOffer } from '../../answers.js'
import type { HandOffRequest } from './handoff-request.js'

/** What somebody who is logged in must decide on. */
export interface ChoiceProps {
  readonly offer: HandOffOffer
  readonly request: HandOffRequest
  readonly switchAccount: () => void
}
