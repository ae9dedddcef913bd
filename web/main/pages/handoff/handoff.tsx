import { useSession } from '@mainstay-auth/react'
import { useState } from 'react'
import { t } from '../../../pieces/language/t.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { Loaded } from '../../../pieces/loading/waiting.js'
import { isRefusal } from '../../../pieces/notices/refusal.js'
import { SmallPage } from '../../../pieces/page.js'
import { OutageBanner } from '../../../pieces/sessions/outage-banner.js'
import { SessionGate } from '../../../pieces/sessions/session-gate.js'
import type { HandOffOffer } from '../../answers.js'
import { call } from '../../api.js'
import { client } from '../../client.js'
import { EnrolmentGate } from '../../enrolment/enrolment-gate.js'
import { Choice } from './choice.js'
import { AccountSwitch, HandOffLogin } from './handoff-login.js'
import { type HandOffRequest, readRequest } from './handoff-request.js'
import { CookiesBlockedPage, IncompletePage, UnknownSatellitePage } from './no-way-on.js'

/** Where a satellite sends people to log in. All navigation away from here is in exits.ts, and nowhere else. */
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
