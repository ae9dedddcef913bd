import { type ReactNode, useEffect } from 'react'
import { cancelQuestion } from '../reauthentication/reauthentication.js'
import { ReauthenticationDialog } from '../reauthentication/reauthentication-dialog.js'
import { EnrolmentPage } from './enrolment-page.js'
import { forgetEnrolmentRequired, useEnrolmentRequired } from './enrolment-required.js'

/**
 * Replaces a page, at the same address, while the account requires a second factor that the user does not
 * have; afterwards they continue there. Asks for proofs of identity, which all pages behind a login may need.
 */
export function EnrolmentGate({ children }: { readonly children: ReactNode }) {
  const isRequired = useEnrolmentRequired()
  // Another person may log in next.
  useEffect(
    () => () => {
      forgetEnrolmentRequired()
      cancelQuestion()
    },
    [],
  )
  return (
    <>
      {isRequired ? <EnrolmentPage done={forgetEnrolmentRequired} /> : children}
      <ReauthenticationDialog />
    </>
  )
}
