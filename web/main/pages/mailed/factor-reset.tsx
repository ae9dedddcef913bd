import { useState } from 'react'
import { Link } from '../../../pieces/router.js'
import { MailedPage } from './mailed-page.js'

/** Of somebody who has lost their second factor, or who has not and is to hear of it. */
export function FactorResetPage() {
  const [isWrong, setIsWrong] = useState(false)
  if (isWrong) return <StopFactorResetPage />
  return (
    <MailedPage
      title="Remove your second factors"
      path="second-factor-reset/confirm"
      submit="Remove them now"
      done="Your second factors are removed and you have been logged out everywhere. Log in with your password and set up new ones."
      anew="Ask whoever manages your team to begin again."
      instead={
        <button type="button" className="link" onClick={() => setIsWrong(true)}>
          I have not asked for this
        </button>
      }
    >
      <p>
        Somebody who manages your team has asked for this, so that you can log in again without your phone or
        passkey. Your passkeys, your authenticator app and your recovery codes stop working. Your password
        stays.
      </p>
      <p>Do this only if you have asked them to.</p>
    </MailedPage>
  )
}

export function StopFactorResetPage() {
  return (
    <MailedPage
      title="Keep your second factors"
      path="second-factor-reset/stop"
      submit="Keep them"
      done="Nothing is removed: your second factors work as before."
      next={() => <Link href="/account/security">Look at your security settings</Link>}
      anew={<Link href="/account/security">Look at your security settings</Link>}
    >
      <p>Somebody has asked to remove your second factors. If you have not lost them, keep them.</p>
    </MailedPage>
  )
}
