import type { ReactNode } from 'react'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { Waiting } from '../../../pieces/loading/waiting.js'
import { LoginSteps, type LoginStepsProps } from '../../../pieces/login/login-steps.js'
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
  const satellite = confirmed.data
  const cookieWarning = !navigator.cookieEnabled && (
    <Warning>{t('handoff.allowCookies', { host: location.host })}</Warning>
  )
  if (isRefusal(confirmed.error, 'SATELLITE_NOT_FOUND')) return <UnknownSatellitePage request={request} />
  if (!satellite && !confirmed.error)
    return (
      <SmallPage title={t('login.title')}>
        {cookieWarning}
        <Waiting />
      </SmallPage>
    )
  return (
    <HintedLogin
      request={request}
      above={news}
      about={
        <>
          {cookieWarning}
          {satellite && (
            <p>
              <T id="handoff.afterwards" host={hostOf(satellite.origin)} strong={<strong />} />
            </p>
          )}
        </>
      }
    >
      {satellite && (
        <div className="actions">
          <button type="button" onClick={() => leaveWithError(satellite, 'login_required', request)}>
            {t('common.cancel')}
          </button>
        </div>
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
    <HintedLogin title={t('handoff.otherAccount')} request={request} done={done}>
      <div className="actions">
        <button type="button" onClick={back}>
          {t('handoff.goBack')}
        </button>
      </div>
    </HintedLogin>
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
