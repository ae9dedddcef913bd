import type { ReactNode } from 'react'
import { Warning } from '../../../pieces/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { hostOf } from '../../../pieces/site.js'
import type { HandOffOffer } from '../../answers.js'
import type { ChoiceProps } from './choice-props.js'
import { leaveWithError } from './exits.js'

type Refusal = Exclude<HandOffOffer['access'], 'allowed'>

/** Why nobody can be logged in there, and the way back. Without the branding: it belongs to those who are admitted. */
export function RefusedChoice({
  access,
  offer,
  request,
  switchAccount,
}: ChoiceProps & { readonly access: Refusal }) {
  const { origin, email } = offer
  const host = hostOf(origin)
  const [title, reason]: readonly [string, ReactNode] = {
    not_invited: [
      'Not invited',
      <>
        <bdi>{email}</bdi> is not invited to <strong>{host}</strong>. Use another account, or ask whoever
        manages your team.
      </>,
    ] as const,
    suspended: [
      'Site suspended',
      <>
        <strong>{host}</strong> is suspended at the moment, so nobody can log in there. Please ask whoever
        runs it.
      </>,
    ] as const,
    access_denied: [
      'Log in there',
      <>
        <strong>{host}</strong> takes no logins from here. Please log in there with your e-mail address and
        password.
      </>,
    ] as const,
  }[access]
  return (
    <SmallPage title={title}>
      <Warning>{reason}</Warning>
      <div className="actions">
        {access === 'not_invited' && (
          <button type="button" className="primary" onClick={switchAccount}>
            Use another account
          </button>
        )}
        <button type="button" onClick={() => leaveWithError(offer, access, request)}>
          Back to {host}
        </button>
      </div>
    </SmallPage>
  )
}
