import type { ReactNode } from 'react'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { Warning } from '../../../pieces/notices/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { hostOf } from '../../../pieces/site/site.js'
import type { HandOffOffer } from '../../answers.js'
import type { ChoiceProps } from './choice-props.js'
import { leaveWithError } from './exits.js'

type Refusal = Exclude<HandOffOffer['access'], 'allowed'>

/**
 * Why nobody can be logged in there, and the way back. Without the branding, which is only for people who are
 * admitted.
 */
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
      t('handoff.notInvitedTitle'),
      <T id="handoff.notInvited" email={email} host={host} bdi={<bdi />} strong={<strong />} />,
    ] as const,
    suspended: [
      t('handoff.suspendedTitle'),
      <T id="handoff.suspended" host={host} strong={<strong />} />,
    ] as const,
    access_denied: [
      t('handoff.deniedTitle'),
      <T id="handoff.denied" host={host} strong={<strong />} />,
    ] as const,
  }[access]
  return (
    <SmallPage title={title}>
      <Warning>{reason}</Warning>
      <div className="actions">
        {access === 'not_invited' && (
          <button type="button" className="primary" onClick={switchAccount}>
            {t('handoff.otherAccount')}
          </button>
        )}
        <button type="button" onClick={() => leaveWithError(offer, access, request)}>
          {t('common.backTo', { host })}
        </button>
      </div>
    </SmallPage>
  )
}
