import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Day } from '../../../../pieces/time/when.js'
import type { Satellite } from '../../../answers.js'

/** The state of a satellite, in a word or two. */
export function StateTag({ satellite: { state, proof } }: { readonly satellite: Satellite }) {
  if (state === 'pending') return <span className="tag warn">{t('satelliteState.pending')}</span>
  if (state === 'suspended') return <span className="tag bad">{t('satelliteState.suspended')}</span>
  return proof.failingSince ? (
    <span className="tag bad">{t('satelliteState.proofMissing')}</span>
  ) : (
    <span className="tag good">{t('satelliteState.active')}</span>
  )
}

/** What that means, and what happens next. */
export function StateText({ satellite: { state, suspendedBy, proof } }: { readonly satellite: Satellite }) {
  const { failingSince, suspendAt } = proof
  if (state === 'pending') return <>{t('satelliteState.pendingMeans')}</>
  if (state === 'active' && !failingSince) return <>{t('satelliteState.activeMeans')}</>
  return (
    <>
      {state === 'suspended' && `${t('satelliteState.suspendedMeans')} `}
      {suspendedBy === 'operator' && `${t('satelliteState.byUs')} `}
      {failingSince && (
        <>
          <T id="satelliteState.missingSince" date={<Day at={failingSince} />} />{' '}
        </>
      )}
      {state === 'active' && suspendAt && <T id="satelliteState.suspendedOn" date={<Day at={suspendAt} />} />}
    </>
  )
}
