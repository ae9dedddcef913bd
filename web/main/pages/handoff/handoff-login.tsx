import { type ReactNode, useState } from 'react'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { Waiting } from '../../../pieces/loading/waiting.js'
import { LoginSteps } from '../../../pieces/login/login-steps.js'
import { Warning } from '../../../pieces/notices/notice.js'
import { isRefusal } from '../../../pieces/notices/refusal.js'
import { SmallPage } from '../../../pieces/page.js'
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
  const [isSecond, setIsSecond] = useState(false)
  const satellite = confirmed.data
  const origin = satellite?.origin
  if (isRefusal(confirmed.error, 'SATELLITE_NOT_FOUND')) return <UnknownSatellitePage request={request} />
  return (
    <SmallPage title={t(isSecond ? 'reauth.title' : 'login.title')}>
      {!isSecond && news}
      {!navigator.cookieEnabled && <Warning>{t('handoff.allowCookies', { host: location.host })}</Warning>}
      {origin && (
        <p>
          <T id="handoff.afterwards" host={hostOf(origin)} strong={<strong />} />
        </p>
      )}
      {!origin && !confirmed.error ? <Waiting /> : <HintedLogin request={request} onStep={setIsSecond} />}
      {satellite && (
        <div className="actions">
          <button type="button" onClick={() => leaveWithError(satellite, 'login_required', request)}>
            {t('common.cancel')}
          </button>
        </div>
      )}
    </SmallPage>
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
  const [isSecond, setIsSecond] = useState(false)
  return (
    <SmallPage title={t(isSecond ? 'reauth.title' : 'handoff.otherAccount')}>
      <HintedLogin request={request} onStep={setIsSecond} done={done} />
      <div className="actions">
        <button type="button" onClick={back}>
          {t('handoff.goBack')}
        </button>
      </div>
    </SmallPage>
  )
}

function HintedLogin({
  request,
  ...others
}: {
  readonly request: HandOffRequest
  readonly onStep: (isSecond: boolean) => void
  readonly done?: () => void
}) {
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
