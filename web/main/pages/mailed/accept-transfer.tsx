import { When } from '../../../pieces/when.js'
import type { Transfer } from '../../answers.js'
import { MailedPage, ToLogin } from './mailed-page.js'

export function AcceptTransferPage() {
  return (
    <MailedPage<Transfer>
      title="Become the owner"
      path="account/transfer/accept"
      submit="Accept ownership"
      done="You have accepted. The owner can still stop the transfer until it takes effect."
      next={({ readyAt }) => (
        <>
          You become the owner on <When at={readyAt} /> at the earliest. <ToLogin />
        </>
      )}
      anew="The owner of the account can start the transfer again."
    >
      <p>The owner of your account wants you to be in charge of payments, settings and the team.</p>
    </MailedPage>
  )
}
