import { useState } from 'react'
import { ConfirmButton } from '../../../pieces/confirm-button.js'
import { leave } from '../../../pieces/leaving.js'
import { Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { type Session, SessionList, type SiteSessions } from '../../../pieces/session-list.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import { call } from '../../api.js'
import { client } from '../../client.js'

/** Where one is logged in oneself. */
export function SessionsPage() {
  const sessions = useLoad(() => call<{ sites: SiteSessions[] }>('GET', 'sessions'))
  const [news, setNews] = useState('')
  const end = async ({ sid, current }: Session) => {
    if (current) return leave(client)
    await call('DELETE', `sessions/${sid}`)
    await sessions.reload()
    setNews('The session has ended.')
  }
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
    </Page>
  )
}
