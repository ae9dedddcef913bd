import { MainstayError } from '@mainstay-auth/client'
import { useState } from 'react'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { type MessageKey, t } from '../../../../pieces/language/t.js'
import { Waiting } from '../../../../pieces/loading/waiting.js'
import { faultText } from '../../../../pieces/notices/messages.js'
import { Failure, Success, Warning } from '../../../../pieces/notices/notice.js'
import { call } from '../../../api.js'
import type { SatelliteProps } from './satellite-props.js'
import { isProofMissing, useProofCheck } from './use-proof-check.js'

const ownMessages = () => ({
  ORIGIN_TAKEN: t('proofCheck.taken'),
  TOO_MANY_ATTEMPTS: t('proofCheck.tooMany'),
})

/** Looks for the proof, and shows what was looked up and what came back. */
export function ProofCheck({ satellite: { id, state, suspendedBy }, reload }: SatelliteProps) {
  const [found, setFound] = useState('')
  const look = async () => {
    setFound('')
    try {
      await call('POST', `satellites/${id}/${state === 'suspended' ? 'resume' : 'verify'}`)
    } catch (error) {
      // There is a new token to publish.
      if (error instanceof MainstayError && error.code === 'PROOF_EXPIRED') await reload()
      throw error
    }
    await reload()
    setFound(news()[state])
  }
  const check = useProofCheck(look, state === 'pending')
  const { error, isBusy, nextLook } = check
  if (suspendedBy === 'operator') return null
  return (
    <>
      {found && state === 'active' && <Success>{found}</Success>}
      {isBusy && <Waiting what={t('proofCheck.looking')} />}
      {isProofMissing(error) ? (
        <Answers error={error} nextLook={nextLook} />
      ) : (
        <Failure error={error} messages={ownMessages()} />
      )}
      <div className="actions">
        <ActionButton action={check} kind={state === 'active' ? 'plain' : 'primary'}>
          {state === 'suspended' ? t('proofCheck.resume') : t('proofCheck.look')}
        </ActionButton>
      </div>
    </>
  )
}

const news = () => ({
  pending: t('proofCheck.nowActive'),
  active: t('proofCheck.there'),
  suspended: t('proofCheck.activeAgain'),
})

/** Each look-up in its own words, followed by its result. */
function Answers({
  error,
  nextLook,
}: {
  readonly error: MainstayError
  readonly nextLook: MessageKey | null
}) {
  return (
    <Warning isAnswer>
      <p>{t('proofCheck.notFound')}</p>
      <ul>
        {error.errors.map(fault => (
          <li key={fault.message}>
            <code>{fault.values?.question}</code>
            <br />
            {faultText(fault)}
          </li>
        ))}
      </ul>
      <p>
        {t('proofCheck.patience')}
        {nextLook && ` ${t('proofCheck.again', { when: t(nextLook) })}`}
      </p>
    </Warning>
  )
}
