import type { ReactNode } from 'react'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { LoginSteps, type LoginStepsProps } from '../../../pieces/login/login-steps.js'
import { Warning } from '../../../pieces/notices/notice.js'
import { isRefusal } from '../../../pieces/notices/refusal.js'
import { Avatar } from '../../../pieces/people/avatar.js'
import { hostOf } from '../../../pieces/site/site.js'
import type { ConfirmedSatellite } from '../../answers.js'
import { askAsAnybody } from '../../api.js'
import { client } from '../../client.js'
import { ForgotLink } from '../../forgot-link.js'
import { rememberEmail, typedEmail } from '../../typed-email.js'
import { leaveWithError } from './exits.js'
import type { HandOffRequest } from './handoff-request.js'
import { UnknownSatellitePage } from './no-way-on.js'

/** For people who are not logged in: at the address of the hand-off, so that they continue there. */
export function HandOffLogin({
  news,
  request,
}: {
  readonly news: ReactNode
  readonly request: HandOffRequest
}) {
  const asked = `handoff/satellite?origin=${encodeURIComponent(request.satellite)}`
  const confirmed = useLoad(() => askAsAnybody<ConfirmedSatellite>(asked))
  const satellite = confirmed.data
  if (isRefusal(confirmed.error, 'SATELLITE_NOT_FOUND')) return <UnknownSatellitePage request={request} />
  return (
    <HintedLogin
      request={request}
      title={satellite ? t('handoff.title', { host: hostOf(satellite.origin) }) : undefined}
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

/** For people who are logged in, and stay so until they have logged in as somebody else. */
export function AccountSwitch({
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

/** Its host alone: anybody can register a satellite, with any name and logo. */
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
