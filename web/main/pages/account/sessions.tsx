import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { useOwnSessions } from '../../../pieces/sessions/own-sessions.js'
import { SessionList } from '../../../pieces/sessions/session-list.js'
import { Loaded } from '../../../pieces/waiting.js'
import { call } from '../../api.js'
import { client } from '../../client.js'
import { RememberedDevices } from './remembered-devices.js'

/** Where the user is logged in. */
export function SessionsPage() {
  const { sessions, end, news, setNews } = useOwnSessions(call, client)
  const endOthers = async () => {
    const { ended } = await call<{ ended: number }>('DELETE', 'sessions')
    await sessions.reload()
    setNews(ended === 1 ? 'One other session has ended.' : `${ended} other sessions have ended.`)
  }
  return (
    <Page title="Sessions">
      <Section title="Where you are logged in">
        {news && <Success>{news}</Success>}
        <Loaded of={sessions}>
          {({ sites }) => (
            <>
              <SessionList sites={sites} end={end} />
              <div className="actions">
                <ConfirmButton
                  name="End all other sessions"
                  question="End all other sessions?"
                  confirm="End all others"
                  act={endOthers}
                >
                  <p>You stay logged in here and are logged out everywhere else.</p>
                </ConfirmButton>
              </div>
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Remembered devices">
        <RememberedDevices />
      </Section>
    </Page>
  )
}
