import { Day } from '../../../../pieces/when.js'
import type { Satellite } from '../../../answers.js'

/** How a satellite is doing, in a word or two. */
export function StateTag({ satellite: { state, proof } }: { readonly satellite: Satellite }) {
  if (state === 'pending') return <span className="tag warn">Waiting for its proof</span>
  if (state === 'suspended') return <span className="tag bad">Suspended</span>
  return proof.failingSince ? (
    <span className="tag bad">Proof missing</span>
  ) : (
    <span className="tag good">Active</span>
  )
}

/** What that means, and what happens next. */
export function StateText({ satellite: { state, suspendedBy, proof } }: { readonly satellite: Satellite }) {
  const { failingSince, suspendAt } = proof
  if (state === 'pending') return <>Its pages are refused until we have found the proof that it is yours.</>
  if (state === 'active' && !failingSince) return <>Its pages can use this service.</>
  return (
    <>
      {state === 'suspended' && 'Its pages are refused, and nobody can log in there. '}
      {suspendedBy === 'operator' && 'We have suspended it ourselves: please ask our support. '}
      {failingSince && (
        <>
          Its proof has not been found since <Day at={failingSince} />.{' '}
        </>
      )}
      {state === 'active' && suspendAt && (
        <>
          It will be suspended on <Day at={suspendAt} />.
        </>
      )}
    </>
  )
}
