import { MainstayError } from '@mainstay-auth/client'
import { useState } from 'react'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { withoutPeriod } from '../../../../pieces/messages.js'
import { Failure, Success, Warning } from '../../../../pieces/notice.js'
import { Waiting } from '../../../../pieces/waiting.js'
import { call } from '../../../api.js'
import type { SatelliteProps } from './satellite-props.js'
import { isProofMissing, useProofCheck } from './use-proof-check.js'

const OWN_MESSAGES = {
  ORIGIN_TAKEN: 'Another account uses this satellite, and its proof is still there.',
  TOO_MANY_ATTEMPTS: 'There were too many look-ups in the last hour.',
}

/** Looks for the proof, and says what was looked up and what came back. */
export function ProofCheck({ satellite: { id, state, suspendedBy }, reload }: SatelliteProps) {
  const [found, setFound] = useState('')
  const look = async () => {
    setFound('')
    try {
      await call('POST', `satellites/${id}/${state === 'suspended' ? 'resume' : 'verify'}`)
    } catch (error) {
      // There is another one to publish.
      if (error instanceof MainstayError && error.code === 'PROOF_EXPIRED') await reload()
      throw error
    }
    await reload()
    setFound(NEWS[state])
  }
  const check = useProofCheck(look, state === 'pending')
  const { error, isBusy, nextLook } = check
  if (suspendedBy === 'operator') return null
  return (
    <>
      {found && state === 'active' && <Success>{found}</Success>}
      {isBusy && <Waiting what="Looking it up …" />}
      {isProofMissing(error) ? (
        <Answers error={error} nextLook={nextLook} />
      ) : (
        <Failure error={error} messages={OWN_MESSAGES} />
      )}
      <div className="actions">
        <ActionButton action={check} kind={state === 'active' ? 'plain' : 'primary'}>
          {state === 'suspended' ? 'Look it up and resume' : 'Look it up now'}
        </ActionButton>
      </div>
    </>
  )
}

const NEWS = {
  pending: 'The proof was found. The satellite is active now.',
  active: 'The proof is there.',
  suspended: 'The proof was found. The satellite is active again.',
}

/** Each question in its own words, then the answer to it. */
function Answers({ error, nextLook }: { readonly error: MainstayError; readonly nextLook: string | null }) {
  return (
    <Warning isAnswer>
      <p>The proof was not found. This is what we looked up, and what came back:</p>
      <ul>
        {error.errors.map(({ message }) => {
          const [question, ...answer] = message.split(': ')
          return (
            <li key={message}>
              <code>{question}</code>
              <br />
              {withoutPeriod(answer.join(': '))}.
            </li>
          )
        })}
      </ul>
      <p>
        A new record can take some minutes to be seen everywhere, or hours where an old one was seen before.
        {nextLook && ` We will look again ${nextLook}, as long as this page is open.`}
      </p>
    </Warning>
  )
}
