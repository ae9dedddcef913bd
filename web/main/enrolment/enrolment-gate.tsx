import { type ReactNode, useEffect } from 'react'
import { usePlace } from '../../pieces/router.js'
import { cancelQuestion } from '../reauthentication/reauthentication.js'
import { ReauthenticationDialog } from '../reauthentication/reauthentication-dialog.js'
import { rememberEmail } from '../typed-email.js'
import { EnrolmentPage } from './enrolment-page.js'
import { forgetEnrolmentRequired, useEnrolmentRequired } from './enrolment-required.js'

/**
 * Replaces a page, at the same address, while the account requires a second factor that the user does not
 * have; afterwards they continue there. Asks for proofs of identity, which all pages behind a login may need.
 */
export function EnrolmentGate({ children }: { readonly children: ReactNode }) {
  const isRequired = useEnrolmentRequired()
  const { path } = usePlace()
  useEffect(() => {
    rememberEmail('')
    // Another person may log in next.
    return forgetEnrolmentRequired
  }, [])
  // What a page was about to do is not confirmed on the next one.
  useEffect(() => cancelQuestion, [path])
  return (
    <>
      {isRequired ? <EnrolmentPage done={forgetEnrolmentRequired} /> : children}
      <ReauthenticationDialog />
    </>
  )
}
