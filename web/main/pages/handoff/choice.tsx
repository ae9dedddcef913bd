import { useEffect, useRef, useState } from 'react'
import { inkOn } from '../../../../src/platform/contrast.js'
import { type Action, useAction } from '../../../pieces/forms/use-action.js'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { Waiting } from '../../../pieces/loading/waiting.js'
import { Failure, Hint } from '../../../pieces/notices/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { hostOf } from '../../../pieces/site/site.js'
import type { ChoiceProps } from './choice-props.js'
import { leaveWithCode, leaveWithError, takeLeave } from './exits.js'
import { RefusedChoice } from './refused-choice.js'
import { SatelliteMark } from './satellite-mark.js'
import { useSettled } from './use-settled.js'

/**
 * The page that starts a hand-off can use its result. Unless the satellite's own page led here, that may be
 * another page.
 */
function hasComeFrom(origin: string): boolean {
  return URL.canParse(document.referrer) && new URL(document.referrer).origin === origin
}

/** Asks whether to log in at a satellite, and as whom. */
export function Choice(props: ChoiceProps) {
  const { offer, request } = props
  const suggested = offer.email.toLowerCase() === request.loginHint.toLowerCase() ? '' : request.loginHint
  const [isLeaving, setIsLeaving] = useState(
    () =>
      offer.access === 'allowed' && offer.isKnown && !suggested && hasComeFrom(offer.origin) && takeLeave(),
  )
  const wish = useRef(new AbortController())
  const proceed = useAction(() => {
    wish.current = new AbortController()
    return leaveWithCode(offer, request, wish.current.signal).finally(() => setIsLeaving(false))
  })
  const stay = () => wish.current.abort()
  useEffect(() => {
    if (isLeaving) void proceed.run()
    return stay
  }, [])

  if (offer.access !== 'allowed') return <RefusedChoice {...props} access={offer.access} />
  if (isLeaving)
    return (
      <SmallPage title={t('handoff.title', { host: hostOf(offer.origin) })}>
        <Waiting what={t('handoff.goingOn', { host: hostOf(offer.origin) })} />
      </SmallPage>
    )
  return <AllowedChoice {...props} suggested={suggested} proceed={proceed} stay={stay} />
}

function AllowedChoice({
  offer,
  request,
  switchAccount,
  suggested,
  proceed,
  stay,
}: ChoiceProps & {
  /** The user that the satellite suggests, if it is a different one; empty otherwise. */
  readonly suggested: string
  readonly proceed: Action<void>
  /** Stops `proceed` from leaving. */
  readonly stay: () => void
}) {
  const { isSettled, isSettledNow } = useSettled()
  const { origin, branding, email } = offer
  const name = branding?.name ?? offer.name
  const colours = branding ? { background: branding.accent, color: inkOn(branding.accent) } : {}
  return (
    <SmallPage title={t('handoff.title', { host: hostOf(origin) })}>
      {branding && <SatelliteMark branding={branding} />}
      <p>
        <T id="handoff.about" host={hostOf(origin)} strong={<strong />} />
      </p>
      {suggested && (
        <Hint>
          <T id="handoff.suggested" host={hostOf(origin)} suggested={suggested} email={email} bdi={<bdi />} />
        </Hint>
      )}
      <Failure error={proceed.error} />
      <div className="actions">
        <button
          type="button"
          className="primary branded-button"
          style={colours}
          aria-disabled={!isSettled || proceed.isBusy}
          aria-busy={proceed.isBusy}
          onClick={() => isSettledNow() && void proceed.run()}
        >
          {proceed.isBusy && <span className="spinner" aria-hidden="true" />}
          <span>
            <T id="handoff.continue" name={name} email={email} bdi={<bdi />} small={<small />} />
          </span>
        </button>
        <button type="button" onClick={switchAccount}>
          {t('handoff.otherAccount')}
        </button>
        <button
          type="button"
          onClick={() => {
            stay()
            leaveWithError(offer, 'access_denied', request)
          }}
        >
          {t('common.cancel')}
        </button>
      </div>
    </SmallPage>
  )
}
