import { useSession } from '@mainstay-auth/react'
import { type ReactNode, useRef, useState } from 'react'
import { inkOn } from '../../../src/platform/contrast.js'
import { useEffect, useLayoutEffect } from '../../pieces/activity.js'
import { type Action, ActionButton, useAction } from '../../pieces/forms.js'
import { Loaded, useLoad, Waiting } from '../../pieces/loading.js'
import { LoginSteps, type LoginStepsProps } from '../../pieces/login.js'
import { Failure, Hint, isRefusal, Warning } from '../../pieces/notices.js'
import { OutageBanner } from '../../pieces/outage.js'
import { SmallPage, WayOn } from '../../pieces/page.js'
import { Avatar } from '../../pieces/people.js'
import { Link } from '../../pieces/router.js'
import { SessionGate } from '../../pieces/session-gate.js'
import { hostOf, showBackground } from '../../pieces/site.js'
import { t } from '../../pieces/t.js'
import { T } from '../../pieces/text.js'
import { askAsAnybody, type Branding, type ConfirmedSatellite, call, type HandOffOffer } from '../api.js'
import { rememberEmail, typedEmail } from '../between-pages.js'
import { client } from '../client.js'
import { EnrolmentGate } from '../enrolment.js'
import { leaveWithCode, leaveWithError, takeLeave } from './handoff-exits.js'
import { type HandOffRequest, readRequest } from './handoff-request.js'
import { ForgotLink } from './login.js'

/** Where a satellite sends people to log in. All navigation away from here is in handoff-exits.ts, and nowhere else. */
export function HandOffPage() {
  const { status } = useSession(client)
  const [request] = useState(() => readRequest(location.hash))
  // Also covers a web server that has dropped the header against framing.
  if (top !== self) return null
  if (!request) return <IncompletePage />
  return (
    <>
      {/* While that is unknown, the gate shows its own. */}
      {status !== 'unknown' && <OutageBanner client={client} />}
      <SessionGate client={client} login={news => <HandOffLogin news={news} request={request} />}>
        {({ userId }) => (
          <EnrolmentGate key={userId}>
            <Offered request={request} />
          </EnrolmentGate>
        )}
      </SessionGate>
    </>
  )
}

/** For people who are logged in. */
function Offered({ request }: { readonly request: HandOffRequest }) {
  const offer = useLoad(() =>
    call<HandOffOffer>('GET', `handoff?satellite=${encodeURIComponent(request.satellite)}`),
  )
  const [isSwitching, setIsSwitching] = useState(false)
  if (isSwitching)
    return (
      <AccountSwitch
        request={request}
        done={() => {
          setIsSwitching(false)
          void offer.reload()
        }}
        back={() => setIsSwitching(false)}
      />
    )
  if (isRefusal(offer.error, 'SATELLITE_NOT_FOUND')) return <UnknownSatellitePage request={request} />
  if (isRefusal(offer.error, 'SESSION_COOKIE_REQUIRED')) return <CookiesBlockedPage retry={offer.reload} />
  if (offer.data)
    return <Choice offer={offer.data} request={request} switchAccount={() => setIsSwitching(true)} />
  return (
    <SmallPage title={t('login.title')}>
      <Loaded of={offer}>{() => null}</Loaded>
    </SmallPage>
  )
}

/** For people who are not logged in: at the address of the hand-off, so that they continue there. */
function HandOffLogin({ news, request }: { readonly news: ReactNode; readonly request: HandOffRequest }) {
  const asked = `handoff/satellite?origin=${encodeURIComponent(request.satellite)}`
  const confirmed = useLoad(() => askAsAnybody<ConfirmedSatellite>(asked))
  const satellite = confirmed.data
  if (isRefusal(confirmed.error, 'SATELLITE_NOT_FOUND')) return <UnknownSatellitePage request={request} />
  return (
    <HintedLogin
      request={request}
      title={satellite ? t('handoff.title', { site: hostOf(satellite.origin) }) : undefined}
      isWaiting={!satellite && !confirmed.error}
      above={news}
      about={
        <>
          {!navigator.cookieEnabled && (
            <Warning isAnswer>{t('handoff.allowCookies', { host: location.host })}</Warning>
          )}
          {satellite && <Afterwards origin={satellite.origin} />}
        </>
      }
    >
      {satellite && (
        <button
          type="button"
          className="link"
          onClick={() => leaveWithError(satellite, 'login_required', request)}
        >
          {t('common.cancel')}
        </button>
      )}
    </HintedLogin>
  )
}

/** For users who are logged in, and stay so until they have logged in as another. */
function AccountSwitch({
  request,
  done,
  back,
}: {
  readonly request: HandOffRequest
  readonly done: () => void
  readonly back: () => void
}) {
  return (
    <HintedLogin
      title={t('handoff.otherAccount')}
      about={<Afterwards origin={request.satellite} />}
      request={request}
      done={done}
    >
      <button type="button" className="link" onClick={back}>
        {t('handoff.goBack')}
      </button>
    </HintedLogin>
  )
}

/** Its host alone: any customer can register a satellite, with any name and logo. */
function Afterwards({ origin }: { readonly origin: string }) {
  const host = hostOf(origin)
  return (
    <p className="someone">
      <Avatar name={host} />
      <span>
        <T id="handoff.afterwards" host={host} strong={<strong />} />
      </span>
    </p>
  )
}

function HintedLogin({
  request,
  ...others
}: Omit<LoginStepsProps, 'client'> & { readonly request: HandOffRequest }) {
  return (
    <LoginSteps
      client={client}
      loginHint={typedEmail() || request.loginHint}
      onEmail={rememberEmail}
      forgot={<ForgotLink />}
      {...others}
    />
  )
}

/**
 * The page that starts a hand-off can use its result. Unless the satellite's own page led here, that may be
 * another page.
 */
function hasComeFrom(origin: string): boolean {
  return URL.canParse(document.referrer) && new URL(document.referrer).origin === origin
}

/** Asks whether to log in at a satellite, and as whom. */
function Choice(props: ChoiceProps) {
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
      <SmallPage title={t('handoff.title', { site: nameOf(offer) })}>
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
  const name = nameOf(offer)
  const colours = branding ? { background: branding.accent, color: inkOn(branding.accent) } : {}
  return (
    <SmallPage title={t('handoff.title', { site: name })}>
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

/** The name of a satellite, for people who are admitted there; its owner chose it, so its host is shown beside it. */
function nameOf({ branding, name }: HandOffOffer): string {
  return branding?.name ?? name
}

/** What a user who is logged in must decide on. */
interface ChoiceProps {
  readonly offer: HandOffOffer
  readonly request: HandOffRequest
  readonly switchAccount: () => void
}

/** Longer than the interval between the clicks of a double click. */
const SETTLED_AFTER_MS = 500

/**
 * Whether the page has been in sight for a moment: as state to render, and as a function that is exact at the
 * moment of a click. An earlier click was meant for something else: between the two clicks of a double click,
 * a hostile page can close its window over ours, or bring ours to the front.
 */
function useSettled(): { readonly isSettled: boolean; readonly isSettledNow: () => boolean } {
  const [isSettled, setIsSettled] = useState(false)
  const now = useRef(false)
  useEffect(() => {
    let timer = 0
    const settle = (value: boolean) => {
      now.current = value
      setIsSettled(value)
    }
    const begin = () => {
      settle(false)
      clearTimeout(timer)
      timer = window.setTimeout(() => settle(true), SETTLED_AFTER_MS)
    }
    begin()
    addEventListener('focus', begin)
    return () => {
      removeEventListener('focus', begin)
      clearTimeout(timer)
    }
  }, [])
  return { isSettled, isSettledNow: () => now.current }
}

/**
 * The look of a satellite that has branding. The person who registered it chose all of this, so its host must
 * be shown beside it.
 */
function SatelliteMark({ branding: { name, logoUrl, background } }: { readonly branding: Branding }) {
  const [isLogoMissing, setIsLogoMissing] = useState(false)
  useLayoutEffect(() => showBackground(background), [background])
  const logo = logoUrl?.startsWith('https://') && !isLogoMissing ? logoUrl : null
  return (
    <div className="branded" style={{ background, color: inkOn(background) }}>
      {logo && <img src={logo} alt="" onError={() => setIsLogoMissing(true)} />}
      <strong>
        <bdi>{name}</bdi>
      </strong>
    </div>
  )
}

type Refusal = Exclude<HandOffOffer['access'], 'allowed'>

/**
 * Why no user can be logged in there, and the way back. Without the branding, which is only for people who are
 * admitted.
 */
function RefusedChoice({
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

function IncompletePage() {
  return (
    <SmallPage title={t('handoff.incompleteTitle')}>
      <Warning>{t('handoff.incomplete')}</Warning>
      <WayOn href="/account">{t('handoff.toAccount', { host: location.host })}</WayOn>
    </SmallPage>
  )
}

/** Does not redirect: a link that an attacker can craft must not lead users anywhere in our name. */
function UnknownSatellitePage({ request }: { readonly request: HandOffRequest }) {
  return (
    <SmallPage title={t('handoff.unknownTitle')}>
      <Warning>
        <T id="handoff.unknown" host={hostOf(request.satellite)} here={location.host} strong={<strong />} />
      </Warning>
      <WayOn href="/account">{t('handoff.toAccount', { host: location.host })}</WayOn>
    </SmallPage>
  )
}

/** The user has just logged in, but the cookie is missing. */
function CookiesBlockedPage({ retry }: { readonly retry: () => Promise<void> }) {
  // Without the cookie the client finds no user logged in, and the page shows the login again.
  const action = useAction(async () => {
    await client.refresh()
    await retry()
  })
  return (
    <SmallPage title={t('handoff.blockedTitle')}>
      <Warning>{t('handoff.blocked', { host: location.host })}</Warning>
      <Failure error={action.error} />
      <div className="actions">
        <ActionButton kind="primary" action={action}>
          {t('common.tryAgain')}
        </ActionButton>
      </div>
      <p className="links">
        <Link href="/account">{t('handoff.toAccount', { host: location.host })}</Link>
      </p>
    </SmallPage>
  )
}
