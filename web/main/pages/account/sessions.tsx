import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { Page, Section } from '../../../pieces/page.js'
import { useOwnSessions } from '../../../pieces/sessions/own-sessions.js'
import { SessionList } from '../../../pieces/sessions/session-list.js'
import { toast } from '../../../pieces/toasts.js'
import { Loaded } from '../../../pieces/waiting.js'
import { call } from '../../api.js'
import { client } from '../../client.js'
import { RememberedDevices } from './remembered-devices.js'

/** Where the user is logged in. */
export function SessionsPage() {
  const { sessions, end } = useOwnSessions(call, client)
  const endOthers = async () => {
    const { ended } = await call<{ ended: number }>('DELETE', 'sessions')
    await sessions.reload()
    toast(ended === 1 ? 'One other session has ended.' : `${ended} other sessions have ended.`)
  }
  return (
    <Page title="Sessions">
      <Section title="Where you are logged in">
        <Loaded of={sessions} shape="rows">
          {({ sites }) => (
            <>
              <SessionList sites={sites} end={end} />
              {sites.flatMap(site => site.sessions).length > 1 && (
                <div className="actions">
                  <ConfirmButton
                    name="Sign out everywhere else"
                    question="Sign out everywhere else?"
                    confirm="Sign out all others"
                    act={endOthers}
                  >
                    <p>You stay logged in here and are logged out everywhere else.</p>
                  </ConfirmButton>
                </div>
              )}
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
