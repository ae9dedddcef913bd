import { useState } from 'react'
import { leave } from '../../pieces/leaving.js'
import { Success } from '../../pieces/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { PasswordForm } from '../../pieces/password-form.js'
import { type Session, SessionList, type SiteSessions } from '../../pieces/session-list.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { call, client, read } from '../client.js'

/** For who works at satellites only and has no other page for it: their password, and where they are logged in. */
export function SecurityPage() {
  const sessions = useLoad(() => read<{ sites: SiteSessions[] }>('sessions'))
  const [news, setNews] = useState('')
  const end = async ({ sid, current }: Session) => {
    if (current) return leave(client)
    await call('DELETE', `sessions/${sid}`)
    await sessions.reload()
    setNews('The session has ended.')
  }
  return (
    <Page title="Password and sessions">
      <Section title="Password">
        <PasswordForm call={call} />
      </Section>
      <Section title="Where you are logged in">
        {news && <Success>{news}</Success>}
        <Loaded of={sessions}>{({ sites }) => <SessionList sites={sites} end={end} />}</Loaded>
      </Section>
    </Page>
  )
}
