import { type ReactNode, useEffect } from 'react'
import { ReauthenticationDialog } from '../reauthentication/reauthentication-dialog.js'
import { EnrolmentPage } from './enrolment-page.js'
import { forgetEnrolmentRequired, useEnrolmentRequired } from './enrolment-required.js'

/**
 * What stands in the place of a page, at the same address, while the account requires a second factor of somebody who
 * has none; they go on there. Asks for proofs of identity, as all pages of who is logged in need it.
 */
export function EnrolmentGate({ children }: { readonly children: ReactNode }) {
  const isRequired = useEnrolmentRequired()
  // Another person may log in next.
  useEffect(() => forgetEnrolmentRequired, [])
  return (
    <>
      {isRequired ? <EnrolmentPage done={forgetEnrolmentRequired} /> : children}
      <ReauthenticationDialog />
    </>
  )
}
